"""Temperatures measured from momenta and forces, and the bands they must lie in."""

from .bands import chi2_band

__all__ = ["chi2_band"]
