"""What a failure rate that was counted says of a reference: agreement, deviation, or too little."""

Interval = tuple[float, float]

FACTOR = 2.0
"""An interval decides where it lies within this factor of the reference."""

TOO_FEW = (
    "too few failures to decide: the interval reaches beyond half or twice the reference; "
    "more trials narrow it"
)


def verdict(ours: Interval, band: Interval, reference: float) -> str:
    """The status of a comparison.

    Args:
        ours: The interval that our value is known to lie in.
        band: Where it would agree: the reference with its own interval, or with its tolerance.
        reference: The value that it is compared with.

    Returns:
        `deviates` where the intervals have nothing in common; else `reproduced` where both lie
        within a factor of two of the reference, and `inconclusive` where one does not.
    """
    if ours[1] < band[0] or band[1] < ours[0]:
        return "deviates"
    low, high = reference / FACTOR, reference * FACTOR
    decides = all(low <= end <= high for end in (*ours, *band))
    return "reproduced" if decides else "inconclusive"
