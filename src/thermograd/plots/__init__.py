"""Figures, drawn from records (plain numbers), never from live objects.

They need matplotlib, which `pip install 'thermograd[analysis]'` brings. No window is opened and no
global state is touched.
"""
