"""Diagnostics: read-only measurements, by quantity.

Each returns a record with its value, uncertainty, size and unit (`estimate`). Those of `boundary`,
`curvature`, `landscape` and `noise` need what `pip install 'thermograd[analysis]'` brings.
"""
