"""Quantities as people write them."""

Quantity = str | float
"""A number, or a text with its unit."""


def texts(pec: Quantity, age: Quantity, temp: Quantity, reads: Quantity) -> tuple[str, ...]:
    """What the laboratory reads, in its order."""

    def count(value: Quantity) -> str:
        return value if isinstance(value, str) else f"{value:.17g}"

    return count(pec), str(age), str(temp), count(reads)
