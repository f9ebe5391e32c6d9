"""HMC on paths of symplectic Euler: half the flows of Verlet, a worse acceptance rate.

The map is `hmc` with order 1: K times AB or K times BA, drawn by every walker with probability ½,
which makes the acceptance test exact although neither path is its own reverse.

References:
    Heber, Trstanova and Leimkuhler (2020), arXiv:1903.08640, section 2.
"""

from .hmc import HMC

INTEGRATOR = HMC(order=1)
