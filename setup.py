"""Compile the kernels; without a C compiler the package is installed nevertheless and runs them uncompiled.

The environment variable ``WEBGRAIN_KERNELS=no`` skips the kernels, for an editable install whose kernels are
compiled by ``python setup.py build_ext --inplace``.
"""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# Modules that set COMPILED are compiled; all others stay plain Python.
KERNELS = [
    path
    for path in sorted(Path("src/webgrain").rglob("*.py*"))
    if path.suffix == ".pyx"
    or (path.suffix == ".py" and "\nCOMPILED = cython.compiled\n" in path.read_text(encoding="utf-8"))
]

# Without debugging information a wheel is five times smaller; compilers on Windows do not know -g0.
FLAGS = ["-g0"] if os.name == "posix" else []

CORES = os.cpu_count() or 1

if os.environ.get("WEBGRAIN_KERNELS") == "no":
    KERNELS = []

extensions = cythonize(
    [
        Extension(
            ".".join(path.relative_to("src").with_suffix("").parts),
            [path.as_posix()],
            extra_compile_args=FLAGS,
        )
        for path in KERNELS
    ],
    language_level=3,
    nthreads=CORES if sys.platform == "linux" else 0,  # other systems would run this file in each process
    compiler_directives={
        "boundscheck": False,
        "wraparound": False,
        "cdivision": True,
        "show_performance_hints": False,
    },
)
for extension in extensions:
    extension.optional = True  # cythonize loses the flag when it is given to Extension

setup(ext_modules=extensions, options={"build_ext": {"parallel": CORES}})
