"""What must be known of values, by the beginning of their ids."""

from collections.abc import Mapping

NOTES: Mapping[str, str] = {}
