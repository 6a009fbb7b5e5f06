"""Samples of a space of axes that is too large for a grid: evenly spread.

Each sample is a place from 0 to 1 on every axis.
"""

import random
from collections.abc import Sequence

# Primitive polynomials and first direction numbers of S. Joe and F. Y. Kuo, "Constructing Sobol
# sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008) 2635, their
# file new-joe-kuo-6.21201, from its second axis on: a, and the m.
_DIRECTIONS: tuple[tuple[int, tuple[int, ...]], ...] = (
    (0, (1,)),
    (1, (1, 3)),
    (1, (1, 3, 1)),
    (2, (1, 1, 1)),
    (1, (1, 1, 3, 3)),
    (4, (1, 3, 5, 13)),
    (2, (1, 1, 5, 5, 17)),
    (4, (1, 1, 5, 5, 5)),
    (7, (1, 1, 7, 11, 19)),
    (11, (1, 1, 5, 1, 1)),
    (13, (1, 1, 1, 3, 11)),
    (14, (1, 3, 5, 5, 31)),
    (1, (1, 3, 3, 9, 7, 49)),
    (13, (1, 1, 1, 15, 21, 21)),
    (16, (1, 3, 1, 13, 27, 49)),
)
MOST_AXES = len(_DIRECTIONS) + 1
"""Axes that a Sobol sequence has numbers for."""

_BITS = 30


def latin_hypercube(axes: int, points: int, seed: int) -> list[list[float]]:
    """One sample in each of `points` equal slices of every axis, at random within its slice."""
    chance = random.Random(seed)
    columns: list[list[float]] = []
    for _ in range(axes):
        slices = list(range(points))
        chance.shuffle(slices)
        columns.append([(one + chance.random()) / points for one in slices])
    return [list(row) for row in zip(*columns, strict=True)]


def sobol(axes: int, points: int, seed: int) -> list[list[float]]:
    """The first samples of a Sobol sequence, shifted by digits that `seed` draws.

    A power of two of them fills every slice of an axis equally.
    """
    chance = random.Random(seed)
    shifts = [chance.getrandbits(_BITS) for _ in range(axes)]
    directions = [_directions(axis) for axis in range(axes)]
    state = list(shifts)
    found: list[list[float]] = []
    for number in range(points):
        found.append([(value + 0.5) / (1 << _BITS) for value in state])
        place = _lowest_zero(number)
        state = [value ^ of[place] for value, of in zip(state, directions, strict=True)]
    return found


def _lowest_zero(number: int) -> int:
    return (~number & (number + 1)).bit_length() - 1


def _directions(axis: int) -> Sequence[int]:
    """The direction numbers of an axis, by Gray code (Bratley and Fox, TOMS 659, 1988)."""
    if axis == 0:
        return [1 << (_BITS - 1 - place) for place in range(_BITS)]
    polynomial, first = _DIRECTIONS[axis - 1]
    degree = len(first)
    found = [value << (_BITS - 1 - place) for place, value in enumerate(first)]
    for place in range(degree, _BITS):
        value = found[place - degree] ^ (found[place - degree] >> degree)
        for step in range(1, degree):
            if polynomial >> (degree - 1 - step) & 1:
                value ^= found[place - step]
        found.append(value)
    return found
