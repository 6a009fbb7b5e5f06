"""Codes: what a second write can hold, how often it fails, how long it takes."""

from wordline.codes.ecc import EccCode, Point
from wordline.codes.wom import Estimate, Family, Speed, WomCode

__all__ = ["EccCode", "Estimate", "Family", "Point", "Speed", "WomCode"]
