"""Bands that a measured temperature leaves only by error or with a stated probability."""

from ..._quantiles import chi2_band

__all__ = ["chi2_band"]
