"""A small virtual machine, to which a served drive is an NVMe device."""

from __future__ import annotations

import gzip
import os
import platform
import shutil
from pathlib import Path

KERNEL = "WORDLINE_KERNEL"
"""The environment's name of a kernel for the machine."""
EMULATOR = "qemu-system-x86_64"
_INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t devtmpfs devices /dev
mount -t proc processes /proc
mount -t sysfs system /sys
echo 4 > /proc/sys/kernel/printk
stty -echo cols 100 rows 40
{script}
poweroff -f
"""
_SHELL = """
stty echo
echo 'The drive is /dev/nvme0n1. Leave with exit.'
setsid -c sh
"""


def lacking() -> str | None:
    """Why no virtual machine can be started here, if none can."""
    if platform.system() != "Linux":
        return "the virtual machine is made of a Linux system's kernel"
    if not shutil.which(EMULATOR):
        return f"{EMULATOR} is not installed (apt-get install qemu-system-x86)"
    if busybox() is None:
        return "there is no static busybox (apt-get install busybox-static)"
    if kernel() is None:
        return (
            f"no kernel in /boot has NVMe built in (apt-get install linux-image-cloud-amd64, or "
            f"name one in {KERNEL})"
        )
    return None


def busybox() -> Path | None:
    """A busybox that needs no libraries."""
    found = shutil.which("busybox")
    if found is None or b"/ld-linux" in Path(found).read_bytes():
        return None
    return Path(found)


def kernel() -> Path | None:
    """The kernel that is named in the environment, or the newest in /boot that knows NVMe."""
    if named := os.environ.get(KERNEL):
        return Path(named)
    kernels = sorted(Path("/boot").glob("vmlinuz-*"), key=lambda it: it.stat().st_mtime)
    return next((it for it in reversed(kernels) if _knows_nvme(it)), None)


def _knows_nvme(image: Path) -> bool:
    config = image.with_name(image.name.replace("vmlinuz", "config"))
    return config.is_file() and "CONFIG_BLK_DEV_NVME=y\n" in config.read_text()


def initial_files(script: str | None) -> bytes:
    """An archive with busybox that runs a script, or a shell, and powers the machine off."""
    program = busybox()
    assert program is not None, "somebody asked what is lacking"
    init = _INIT.format(script=_SHELL if script is None else script)
    folders = [_entry(name, 0o40755) for name in ("bin", "dev", "proc", "sys", "mnt")]
    archive = b"".join([
        *folders,
        _entry("dev/console", 0o20600, device=(5, 1)),
        _entry("bin/busybox", 0o100755, program.read_bytes()),
        _entry("init", 0o100755, init.encode()),
        _entry("TRAILER!!!", 0),
    ])  # fmt: skip
    return gzip.compress(archive, 1)


def _entry(name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    """A file of an archive in the format `newc` of cpio."""
    numbers = (0, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % number for number in numbers) + name.encode() + b"\0"
    return _padded(head) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def command(uri: str, files: Path) -> list[str]:
    """What starts the machine, with a served drive as its NVMe device."""
    # In a file name of QEMU a comma is written twice.
    drive = uri.replace(",", ",,")
    return [
        EMULATOR, "-accel", "tcg", "-m", "256", "-nographic", "-no-reboot", "-nic", "none",
        "-kernel", str(kernel()), "-initrd", str(files),
        "-append", "console=ttyS0 quiet panic=-1",
        "-drive", f"if=none,id=drive,format=raw,discard=unmap,file={drive}",
        "-device", "nvme,drive=drive,serial=wordline",
    ]  # fmt: skip
