"""The command line `wordline`."""

from wordline.cli.app import main

__all__ = ["main"]
