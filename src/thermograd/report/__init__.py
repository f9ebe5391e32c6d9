"""What a run did, from its folder: one page, diagnostics by name, and comparisons.

Everything is read from what the run recorded; where the configuration is in the folder, the target
is built again for what needs it. Most of it needs `pip install 'thermograd[analysis]'`.
"""
