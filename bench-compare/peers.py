"""The other simulators: their users' own binaries, each named by an environment variable."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path


class NoProgramError(Exception):
    """A variable names no program."""


@dataclass(frozen=True)
class Peer:
    """A simulator to compare with."""

    name: str
    variable: str
    source: str

    def binary(self) -> Path | None:
        """Its program; none where its variable is not set.

        Raises:
            NoProgramError: The variable names no program.
        """
        found = os.environ.get(self.variable)
        if not found:
            return None
        resolved = shutil.which(found)
        if resolved is None:
            raise NoProgramError(f"{self.variable}={found}: no such program")
        return Path(resolved).resolve()

    def skipped(self) -> str:
        """What a user is told who has none."""
        return (
            f"skipped: there is no {self.name} to compare with; build {self.source} "
            f"and set {self.variable} to the path of its binary"
        )


MQSIM = Peer("MQSim", "MQSIM", "github.com/CMU-SAFARI/MQSim")
SSDSIM = Peer("SSDSim", "SSDSIM", "github.com/narges64/SSDSim-Original")
