"""Figures of a run with matplotlib, drawn from what its folder holds, for notebooks."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from .._checks import unknown_name
from .._errors import ParameterError
from ..diagnostics.correlation import autocorrelation_times
from ..plots.iat import draw_autocorrelation_times
from ..plots.surface import draw_surface
from ..plots.traces import draw_traces
from .landscape import RESOLUTION, landscape_of
from .record import RunRecord, read_record
from .subject import Absent
from .traces import traces

__all__ = ["RunFigures"]


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Draws a run.

    Attributes:
        record: the run.
    """

    record: RunRecord

    @classmethod
    def of(cls, folder: str | Path) -> "RunFigures":
        """Return the figures of the run in a folder."""
        return cls(read_record(folder))

    def traces(self, name: str = "potential") -> Figure:
        """Draw a recorded number over the steps."""
        found = {trace.name: trace for trace in traces(self.record)}
        if name not in found:
            raise unknown_name("recorded number", name, found)
        return draw_traces(
            {self.record.name: found[name]}, expected=self.record.summary[name].expected
        )

    def times(self) -> Figure:
        """Draw the autocorrelation times of the recorded numbers, in the order of their names."""
        chains = self.record.chains
        series = {
            name: array[chains]
            for name, array in sorted(self.record.sample_stats.items())
            if array.ndim == 2 and bool(np.isfinite(array[chains]).all())
        }
        if not series:
            raise ParameterError(f"{self.record.name} has recorded no finite number to draw")
        found = autocorrelation_times(np.stack(list(series.values()), axis=2).astype(np.float64))
        return draw_autocorrelation_times({self.record.name: found}, xlabel=", ".join(series))

    def surface(self, resolution: int = RESOLUTION) -> Figure:
        """Draw the landscape in the plane in which the draws spread most."""
        found = landscape_of(self.record, resolution=resolution)
        if isinstance(found, Absent):
            raise ParameterError(f"{self.record.name} has no landscape: {found.reason}")
        if len(found.surface.y) == 1:
            raise ParameterError(f"{self.record.name} has one coordinate, and no plane")
        return draw_surface(found.surface)
