"""Small real runs in folders, as `thermograd run` makes them."""

from collections.abc import Mapping
from pathlib import Path

from thermograd.config import from_text, start_run

WELL = """
[run]
walkers = 4
steps = 400
temperature = 0.7
step_size = 0.15
friction = 0.8
mass = 1.3
compile = false
observables = ["virial"]

[potential]
name = "DoubleWell"
stiffness = 0.8
well = 1.2
"""
PLANE = """
[run]
walkers = 3
steps = 300
temperature = 0.7
step_size = 0.3
compile = false

[potential]
name = "Harmonic"
spectrum = [1.7, 1.7]
"""
NETWORK = """
[run]
walkers = 3
steps = 240
burn_in = 40
every = 2
temperature = 0.7
step_size = 0.03
observables = ["accuracy"]
compile = false

[model]
name = "mlp"
options = { sizes = [2, 5, 2], activation = "tanh" }
init = "jitter"
spread = 0.3

[data]
toy = "moons"
options = { num_points = 60, noise = 0.2 }
num_test = 20
seed = 5

[loss]
name = "cross_entropy"

[prior]
name = "Gaussian"
sd = 1.4
"""


def made(text: str, folder: Path, changes: Mapping[str, str] | None = None) -> Path:
    """Run a configuration into a folder."""
    config, source = from_text(text, changes=changes)
    start_run(config, source, folder, progress=False).close()
    return folder
