"""Every error thermograd raises; each is also the builtin a caller expects.

ThermogradError
├── ParameterError (ValueError)         a number or option outside its range
├── UnknownNameError (LookupError)      a method, flow, noise or potential nobody has
├── WordError (ValueError)              a splitting that cannot be run
├── ClaimError (ValueError)             a claim that contradicts the method or its noise
├── TensorError (TypeError)             a tensor of a kind no flow can move
├── StateError (ValueError)             a saved state that does not fit
├── EvaluationError (RuntimeError)      a force asked for where none can be had
├── ConvergenceError (ArithmeticError)  a projection on a manifold that was not found
├── DataError (ValueError)              a data file that is damaged or of another kind
├── FetchError (OSError)                data that is not there and cannot be had
├── StoreError (OSError)                a run folder that cannot be written, read or locked
├── OutOfMemoryError (MemoryError)      a run that would not fit, said before it starts
├── MissingExtraError (ImportError)     a package of an optional extra that is not installed
└── NonFiniteError (ArithmeticError)    NaN or infinity where a number must be
    └── LostReplicaError                one replica has them, and all stop
"""


class ThermogradError(Exception):
    """Base of all errors raised by thermograd."""


class ParameterError(ThermogradError, ValueError):
    """A parameter is outside its range."""


class UnknownNameError(ThermogradError, LookupError):
    """A name is not in the registry it was looked up in."""

    def __str__(self) -> str:
        return str(self.args[0])


class WordError(ThermogradError, ValueError):
    """A word (splitting) is malformed or cannot be run where it was asked to."""


class ClaimError(ThermogradError, ValueError):
    """A claim contradicts the method it stands on, or the noise the method is given."""


class TensorError(ThermogradError, TypeError):
    """A tensor has a dtype or layout that no flow can move."""


class StateError(ThermogradError, ValueError):
    """A saved state does not belong to the object it is loaded into."""


class EvaluationError(ThermogradError, RuntimeError):
    """A force was needed at a point where nothing can evaluate it."""


class ConvergenceError(ThermogradError, ArithmeticError):
    """A projection on a manifold does not exist near by, or was not found."""


class DataError(ThermogradError, ValueError):
    """A data file is damaged, or not of the kind it was read as."""


class FetchError(ThermogradError, OSError):
    """Data is missing, or no source of it could be reached."""


class StoreError(ThermogradError, OSError):
    """A run folder cannot be written or read, or another process holds it."""


class OutOfMemoryError(ThermogradError, MemoryError):
    """A run needs more memory than there is."""


class MissingExtraError(ThermogradError, ImportError):
    """A package of an optional extra is not installed."""


class NonFiniteError(ThermogradError, ArithmeticError):
    """A gradient, energy or momentum is NaN or infinite."""


class LostReplicaError(NonFiniteError):
    """A replica has NaN or infinite numbers, so that no replica can go on."""
