"""HMC with a path length drawn at every step, so that no period of the target can trap it.

The map is `hmc` with K drawn from 1 … 2·path_steps − 1; on average it costs path_steps gradients
a step.

References:
    Mackenzie (1989), doi:10.1016/0370-2693(89)91212-4.
"""

from .hmc import HMC

INTEGRATOR = HMC(randomised=True)
