"""Sampling: many walkers of one method on one target, compiled where it pays, kept on disk."""

from .launch import resume, sample, summary_of
from .observables import Observable, View
from .run import Run
from .summary import Summary

__all__ = ["Observable", "Run", "Summary", "View", "resume", "sample", "summary_of"]
