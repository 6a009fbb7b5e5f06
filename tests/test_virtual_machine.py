"""A served drive as the NVMe device of a virtual machine."""

import subprocess
import sys
from pathlib import Path

import pytest
import wordline as wl
from conftest import HANGS_S

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import machines  # noqa: E402

LACKING = machines.lacking()
# 1 MiB at 1 MiB is written and stays; what is written at 4 MiB is given up again.
SCRIPT = """
echo sectors $(cat /sys/block/nvme0n1/size)
dd if=/dev/urandom of=/written bs=64k count=16
dd if=/written of=/dev/nvme0n1 bs=64k seek=16 oflag=direct conv=fsync
dd if=/written of=/dev/nvme0n1 bs=64k seek=64 oflag=direct
dd if=/dev/nvme0n1 of=/read bs=64k skip=16 count=16 iflag=direct
cmp /written /read && echo read back
blkdiscard -o 4194304 -l 1048576 /dev/nvme0n1 && echo given up
dd if=/dev/nvme0n1 of=/read bs=64k skip=64 count=16 iflag=direct
head -c 1048576 /dev/zero | cmp - /read && echo zeroes
"""


@pytest.mark.skipif(bool(LACKING), reason=str(LACKING))
@pytest.mark.timeout(180)
def test_a_virtual_machine_has_the_drive_as_its_nvme_device(tmp_path: Path) -> None:
    script, log = tmp_path / "script", tmp_path / "log.wlt"
    script.write_text(SCRIPT)
    code = {"code": "ldpc", "errors": "fixed", "rber": 0.003}
    with wl.serve("tiny", log=log, precondition={"fill": 0}, data=code) as served:
        machine = subprocess.run(
            [sys.executable, ROOT / "tools" / "virtual-machine", served.uri, "--script", script],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=HANGS_S,
        )  # fmt: skip
        said = machine.stdout + machine.stderr
        assert machine.returncode == 0, said
        summary = served.summary()
    assert f"sectors {served.size_bytes // 512}" in said, said
    for told in ("read back", "given up", "zeroes"):
        assert told in said.splitlines(), said
    assert summary.lost_units == 0
    assert summary.corrected_bits > 1000
    asked = wl.trace_info(log).total.requests
    assert asked.trims > 0
    # A drive that goes out of service flushes once itself.
    assert asked.flushes > 1
