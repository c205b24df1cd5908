"""What pytest needs to know about the whole checkout."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out sources of compiled kernels: collected for doctests, they would be imported uncompiled."""
    is_kernel = collection_path.parent.name == "kernels" and collection_path.suffix == ".py"
    if is_kernel and any(collection_path.parent.glob(f"{collection_path.stem}.*.so")):
        return True
    return None
