"""Measurements against peers; run with `make bench` and `make bias`."""
