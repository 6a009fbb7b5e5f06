"""Codes: what a second write can hold, how often it fails, how long it takes."""

from wordline.codes.wom import Estimate, Family, Speed, WomCode

__all__ = ["Estimate", "Family", "Speed", "WomCode"]
