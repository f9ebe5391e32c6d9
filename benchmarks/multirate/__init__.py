"""What training on two time scales saves: `python -m benchmarks.multirate.run`."""
