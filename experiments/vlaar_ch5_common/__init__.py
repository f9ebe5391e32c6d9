"""What the experiments of Chapter 5 share."""
