"""Drives, techniques, policies, workloads and presets as classes and functions.

They are generated from the declarations in Rust; `part` holds what they are made of.
"""
