"""thermograd.optim."""
