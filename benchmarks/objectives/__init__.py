"""What an inner step of the smoothing optimizers costs."""
