"""Runs of drives: one, several side by side, with power cuts, and served."""
