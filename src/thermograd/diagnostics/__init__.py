"""Diagnostics: read-only measurements, by quantity."""
