"""SGD: gradient descent with the force of a minibatch.

One step:

    q ← q − (h/m) ∇Ũ(q)

The map is `gradient_descent`; what makes it stochastic is the target's minibatch.

References:
    Robbins and Monro (1951), doi:10.1214/aoms/1177729586.
"""

from .gradient_descent import INTEGRATOR

__all__ = ["INTEGRATOR"]
