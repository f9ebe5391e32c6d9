"""What a replica spent on communication, beside the paper's model of it."""

from dataclasses import dataclass

__all__ = ["Account"]


@dataclass(frozen=True, slots=True)
class Account:
    """Of one replica, over a whole run, its continuations included.

    Attributes:
        bytes: handed over for sending.
        messages: posts.
        seconds: spent in posting and waiting.
        compute_seconds: spent otherwise in steps.
        model_bytes: 2d/L numbers a step, as the source has it: up and down.
    """

    bytes: int
    messages: int
    seconds: float
    compute_seconds: float
    model_bytes: float

    @property
    def ratio(self) -> float:
        """Seconds of communication to seconds of computation."""
        return self.seconds / self.compute_seconds if self.compute_seconds else 0.0

    def as_data(self) -> dict[str, float]:
        """Return the numbers by name, the ratio included."""
        names = ("bytes", "messages", "seconds", "compute_seconds", "model_bytes", "ratio")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        return (
            f"{self.bytes:,} bytes in {self.messages:,} messages of each replica "
            f"(model 2d/L: {self.model_bytes:,.0f} bytes), {self.seconds:.3g} s, "
            f"{100 * self.ratio:.2g}% of {self.compute_seconds:.3g} s of computation"
        )
