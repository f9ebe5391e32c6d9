"""thermograd.geometry."""
