"""Smoothed objectives: what they are, in closed form, and the arithmetic that descends on them.

The optimizers that use them are in `thermograd.optim`.
"""

from .control import Controlled, quadratic_control
from .hamilton_jacobi import moreau_envelope, proximal_map
from .heat import gather_gradients
from .local_entropy import local_entropy, local_entropy_gradient, smoothed_harmonic
from .magnetic_field import InField, critical_field, field_strength
from .on_grid import gaussian_smoothed, hopf_cole, hopf_lax
from .tethered import Tethered
from .viscous import viscous

__all__ = [
    "Controlled",
    "InField",
    "Tethered",
    "critical_field",
    "field_strength",
    "gather_gradients",
    "gaussian_smoothed",
    "hopf_cole",
    "hopf_lax",
    "local_entropy",
    "local_entropy_gradient",
    "moreau_envelope",
    "proximal_map",
    "quadratic_control",
    "smoothed_harmonic",
    "viscous",
]
