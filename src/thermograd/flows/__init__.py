"""thermograd.flows."""
