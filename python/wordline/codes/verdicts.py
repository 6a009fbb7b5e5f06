"""What a failure rate that was counted says of a reference: agreement, deviation, or too little."""

Interval = tuple[float, float]

FACTOR = 2.0
"""An interval decides where it lies within this factor of the reference."""

TOO_FEW = (
    "too few failures to decide: the interval reaches beyond half or twice the reference, or it "
    "has neither the reference in it nor all of itself within the tolerance; more trials narrow it"
)


def verdict(ours: Interval, band: Interval, reference: float) -> str:
    """The status of a comparison.

    Args:
        ours: The interval that our value is known to lie in.
        band: Where it would agree: the reference with its own interval, or with its tolerance.
        reference: The value that it is compared with.

    Returns:
        `deviates` where the intervals have nothing in common. `reproduced` where both lie within a
        factor of two of the reference, and ours holds the reference or lies within the band.
        `inconclusive` otherwise: an interval that only touches the band shows no agreement.
    """
    if ours[1] < band[0] or band[1] < ours[0]:
        return "deviates"
    low, high = reference / FACTOR, reference * FACTOR
    decides = all(low <= end <= high for end in (*ours, *band))
    agrees = ours[0] <= reference <= ours[1] or band[0] <= ours[0] <= ours[1] <= band[1]
    return "reproduced" if decides and agrees else "inconclusive"
