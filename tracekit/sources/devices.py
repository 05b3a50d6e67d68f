"""Devices by name, tried before anything is loaded onto them."""

from __future__ import annotations

import torch

from tracekit.errors import DeviceError

__all__ = ["usable_device"]


def usable_device(name: str) -> torch.device:
    """The device. Raises DeviceError for one that torch does not know, or that is not there."""
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise DeviceError(name, "torch knows no such device; cpu always works") from error
    if device.type == "meta":
        raise DeviceError(name, "holds no numbers, so nothing can run on it")
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError, ImportError) as error:
        why = f"{' '.join(str(error).split()):.300}"
        raise DeviceError(name, f"is not available on this machine ({why}); cpu always works") from error
    return device
