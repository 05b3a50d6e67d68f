"""Folders and processes for the tests of files."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import tracekit
from tests.storage.actors import ROOT
from tracekit.format.types import Trace

DISK_BYTES = 64 << 10


@pytest.fixture
def short() -> Trace:
    """The trace of a shipped recording of twelve loops."""
    return tracekit.load(ROOT / "recordings/pointer-short.json")


@pytest.fixture
def listing() -> Callable[[Path], list[str]]:
    """What lies in a folder, hidden files too."""
    return lambda folder: sorted(path.name for path in folder.iterdir())


@dataclass(frozen=True)
class SmallDisk:
    """A folder that holds at most `DISK_BYTES`, for a process started with `limit`."""

    folder: Path
    limit: Callable[[], None]
    refusal: str


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """A real file system of 64 KiB where we may mount one; elsewhere a process's own limit on its files."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)]
    may_mount = os.getuid() == 0 and shutil.which("mount") is not None
    if may_mount and subprocess.run(mount, capture_output=True).returncode == 0:
        yield SmallDisk(folder, lambda: None, "the disk is full")
        subprocess.run(["umount", str(folder)], check=True)
        return
    yield SmallDisk(folder, limit_files(DISK_BYTES), "the file would be larger than the system allows")


def limit_files(largest: int) -> Callable[[], None]:
    """What a child calls before it starts, so that the system refuses it larger files."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))


def actor(*arguments: object, limit: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """Start one of the processes in `actors`."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.storage.actors", *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limit,
    )
