"""thermograd.potentials."""
