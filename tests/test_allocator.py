"""How a process gives memory back."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

from mendory.allocator import give_back

SCRIPT = """
import ctypes, pathlib, sys
from mendory.allocator import give_back
assert sys.argv[1] == "no" or give_back()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
size = 20_000_000
libc.free(libc.malloc(size))
held = []
for _ in range(10):
    held.append(libc.malloc(size))
    libc.memset(held[-1], 1, size)
    libc.malloc(10_000)
for one in held:
    libc.free(one)
print(int(pathlib.Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0]) // 1024)
"""


def test_large_blocks_go_back_to_the_system() -> None:
    """What was freed is held no more, though blocks of its size were freed before and small ones live on between."""
    if platform.libc_ver()[0] != "glibc":
        assert not give_back()
        return
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    held, given = (
        int(subprocess.run([sys.executable, "-c", SCRIPT, how], env=bare, capture_output=True, check=True).stdout)
        for how in ("no", "yes")
    )

    assert held - given > 100, (held, given)
