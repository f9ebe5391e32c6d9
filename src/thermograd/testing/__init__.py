"""thermograd.testing."""
