"""Readers of the usual file layouts, fetched by thermograd or already on a person's disk."""
