"""Sweeps: many runs on many cores or machines, resumable, as one table."""
