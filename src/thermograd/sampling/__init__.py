"""thermograd.sampling."""
