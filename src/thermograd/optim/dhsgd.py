"""DHSGD: Hamiltonian dynamics on the hidden layers, gradient descent on the output layer.

    hidden   p₁ ← p₁ − ½h ∇₁U;   q₁ ← q₁ + h p₁;   p₁ ← p₁ − ½h ∇₁U at the new positions
    output   q₂ ← q₂ − ½h² ∇₂U       (h in place of ½h² in the contractive form)

`LOL` at friction 0 and temperature 0. No noise is drawn, and the step size is the only setting.
"""

from ..partitions import Partition
from ._adapter import DynamicsOptimizer, OnNonfinite
from ._groups import ModelOrGroups, two_parts

__all__ = ["DHSGD"]


class DHSGD(DynamicsOptimizer):
    """Velocity Verlet on the hidden part, gradient descent on the output part.

    Args:
        params: a model, of which the last layer is the output part and all else the hidden part;
            or any number of groups. A group runs velocity Verlet unless it names another "word".
        lr: h ≥ 0, the step size.
        contractive: whether the output part takes steps h instead of ½h².
        partition: two parts of the model, hidden and output in this order, if not by the last
            layer.
        on_nonfinite: as for `Langevin`.

    References:
        Vlaar (2022), thesis, University of Edinburgh, eqs. (3.27)-(3.30).
    """

    def __init__(
        self,
        params: ModelOrGroups,
        lr: float,
        *,
        contractive: bool = False,
        partition: Partition | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        output = {"word": "sgd" if contractive else "baoab_cold_limit"}
        groups = two_parts(params, partition, output, "DHSGD")
        defaults = {
            "lr": lr,
            "friction": 0.0,
            "temperature": 0.0,
            "word": "velocity_verlet",
            "mass": 1.0,
            "momentum": None,
        }
        super().__init__(groups, defaults, on_nonfinite=on_nonfinite)
