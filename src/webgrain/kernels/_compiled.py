"""Says once that the kernels run uncompiled."""

from __future__ import annotations

import functools
import warnings


@functools.cache
def warn_once(compiled: bool) -> None:
    """Warn, once in a process, when a kernel that is about to run is not compiled.

    compiled: the kernel module's ``COMPILED``. Source: none, a courtesy: uncompiled kernels give the same
    results, some hundred times slower.

    >>> warn_once(True)
    """
    if not compiled:
        warnings.warn(
            "webgrain's kernels are not compiled, so they run some hundred times slower: "
            "install a C compiler and reinstall webgrain",
            RuntimeWarning,
            stacklevel=3,
        )
