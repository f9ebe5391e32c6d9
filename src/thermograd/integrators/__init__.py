"""thermograd.integrators."""
