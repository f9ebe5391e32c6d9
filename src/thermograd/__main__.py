"""`python -m thermograd`, for launchers such as torchrun."""

from .cli import main

if __name__ == "__main__":
    main(prog_name="thermograd")
