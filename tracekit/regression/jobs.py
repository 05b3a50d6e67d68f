"""The same check in several processes, each with its own copy of the model and its share of the cores."""

from __future__ import annotations

import multiprocessing
import os
import queue
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING

from tracekit.regression.check import CheckOptions, Group, Outcome, check, check_group, group_goldens

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

__all__ = ["check_with"]

_POLL_SECONDS = 0.2


def check_with(jobs: int, paths: Iterable[Path], options: CheckOptions) -> Iterator[Outcome]:
    """Every golden's outcome, as it is there, from `jobs` processes."""
    if jobs == 1:
        yield from check(paths, options)
        return
    groups, unreadable = group_goldens(paths)
    yield from unreadable
    if options.loading.threads is None:
        threads = max(1, (os.cpu_count() or 1) // jobs)
        options = replace(options, loading=replace(options.loading, threads=threads))
    shares = [share for share in _shares(groups, jobs) if share]
    if shares:
        yield from _outcomes(shares, options)


def _shares(groups: Sequence[Group], jobs: int) -> list[list[Group]]:
    """Each group's goldens, dealt in turn to the processes."""
    shares: list[list[Group]] = [[] for _ in range(jobs)]
    for group in groups:
        for at, share in enumerate(shares):
            if paths := group.paths[at::jobs]:
                share.append(Group(group.key, paths))
    return shares


def _outcomes(shares: Sequence[Sequence[Group]], options: CheckOptions) -> Iterator[Outcome]:
    # Spawned, not forked: a fork after torch has started its threads can hang.
    context = multiprocessing.get_context("spawn")
    outcomes: Queue[Outcome] = context.Queue()
    workers = [
        context.Process(target=_work, args=(share, options, outcomes), daemon=True) for share in shares
    ]
    waiting = {path for share in shares for group in share for path in group.paths}
    try:
        for worker in workers:
            worker.start()
        for outcome in _arriving(workers, outcomes, waiting):
            waiting.discard(outcome.path)
            yield outcome
    finally:
        for worker in workers:
            worker.terminate()
    for path in sorted(waiting):
        yield Outcome(path, error=f"{path}: the process that checked it died")


def _arriving(
    workers: Sequence[SpawnProcess], outcomes: Queue[Outcome], waiting: set[Path]
) -> Iterator[Outcome]:
    """Outcomes until none is waited for, or no process is left that could bring one."""
    while waiting:
        alive = any(worker.is_alive() for worker in workers)
        try:
            yield outcomes.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            if not alive:
                return


def _work(share: Sequence[Group], options: CheckOptions, outcomes: Queue[Outcome]) -> None:
    for group in share:
        for outcome in check_group(group, options):
            outcomes.put(outcome)
