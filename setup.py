"""Compile the kernels; without a C compiler the package is installed nevertheless and runs them uncompiled.

A package is built in an empty temporary folder, so it never contains files of an earlier build. Only
``python setup.py build_ext --inplace``, the command for developers, keeps the C and object files and compiles
the kernels that have changed. On Linux it appends the checksum of the source to each compiled kernel, so that
a copy of an older one is noticed (`tests/stale.py`). The environment variable ``WEBGRAIN_KERNELS=no`` skips
the kernels, for an editable install whose kernels are compiled by that command.

Cython's code for arrays is one module that all kernels share. Without it, each kernel would contain a copy,
and compiling all kernels would take twice as long.
"""

import atexit
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

# Modules that set COMPILED are compiled; all others stay plain Python.
KERNELS = [
    path
    for path in sorted(Path("src/webgrain").rglob("*.py*"))
    if path.suffix == ".pyx"
    or (path.suffix == ".py" and "\nCOMPILED = cython.compiled\n" in path.read_text(encoding="utf-8"))
]

SHARED = "webgrain.base.memoryviews"

# Without debugging information a wheel is five times smaller; compilers on Windows do not know -g0.
# A product and a sum stay two operations, as uncompiled; compilers would join them on some processors.
FLAGS = ["-g0", "-ffp-contract=off"] if os.name == "posix" else []
# The default level of optimisation takes nearly twice the time; walks through trees of models gain.
QUICK_FLAGS = ["-O1", *FLAGS] if os.name == "posix" else []
OPTIMIZED_FOLDERS = ("base",)
DIRECTIVES = {"boundscheck": False, "wraparound": False, "cdivision": True, "show_performance_hints": False}
CORES = os.cpu_count() or 1
IN_PLACE = "--inplace" in sys.argv
SOURCE_SUM = b"\nsource sha256 "


class BuildKernels(build_ext):
    """Translate the kernels to C and compile them."""

    def run(self) -> None:
        """Build the kernels, in the source folder without those of modules that are no kernels any more."""
        if self.inplace or self.editable_mode:
            remove_old_kernels()
        super().run()

    def build_extensions(self) -> None:
        """Translate all kernels; only those that have changed for a build in place."""
        from Cython.Build import cythonize  # other commands, such as sdist, do not need it

        shared, *kernels = self.extensions
        folder = Path() if IN_PLACE else Path(self.build_temp)
        code = folder / shared.sources[0]
        current = IN_PLACE and is_current(code)
        if not current:
            translate_shared(code)
        self.source = {module.name: module.sources[0] for module in kernels} if IN_PLACE else {}
        for name, source in self.source.items():
            if has_other_source(self.get_ext_fullpath(name), source):
                Path(source).with_suffix(".c").unlink(missing_ok=True)  # so that it is translated again
        translated = cythonize(
            kernels,
            build_dir=None if IN_PLACE else self.build_temp,
            force=not current,
            language_level=3,
            nthreads=CORES if sys.platform == "linux" else 0,  # others would run this file in each process
            compiler_directives=DIRECTIVES,
            shared_utility_qualified_name=SHARED,
        )
        sources = {module.name: module.sources for module in translated}
        sources[SHARED] = [str(code)]
        for module in self.extensions:
            module.sources = sources[module.name]
        # The largest are compiled first, so that no core waits for another one at the end.
        self.extensions.sort(key=size_of_code, reverse=True)
        self.changed = [module for module in self.extensions if self.force or self.is_old(module)]
        super().build_extensions()
        if not os.path.exists(self.get_ext_fullpath(SHARED)):
            for module in kernels:  # they cannot be imported
                Path(self.get_ext_fullpath(module.name)).unlink(missing_ok=True)

    def build_extension(self, module: Extension) -> None:
        """Print the name of a module and compile it, if its code has changed."""
        if module in self.changed:
            number = self.changed.index(module) + 1
            line = f"compile {module.name} ({number} of {len(self.changed)})\n"
            print(line, end="", flush=True)  # print would write the end of a line apart, in several threads
        super().build_extension(module)
        compiled = Path(self.get_ext_fullpath(module.name))
        if module in self.changed and module.name in self.source and sys.platform == "linux":
            with compiled.open("ab") as file:  # a loader reads what the headers name, and nothing behind it
                file.write(source_sum(self.source[module.name]))

    def is_old(self, module: Extension) -> bool:
        """Return whether a compiled module is missing, older than its code, or of another source."""
        compiled = self.get_ext_fullpath(module.name)
        source = self.source.get(module.name)
        return newer_group(module.sources, compiled) or (source and has_other_source(compiled, source))


def source_sum(source: str) -> bytes:
    """Return what is appended to a compiled kernel: the checksum of its source."""
    return SOURCE_SUM + hashlib.sha256(Path(source).read_bytes()).hexdigest().encode()


def has_other_source(compiled: str, source: str) -> bool:
    """Return whether a compiled kernel has the checksum of another source than this one."""
    expected = source_sum(source)
    if not os.path.exists(compiled):
        return False
    with open(compiled, "rb") as file:
        file.seek(max(os.path.getsize(compiled) - len(expected), 0))
        end = file.read()
    return end.startswith(SOURCE_SUM) and end != expected


def is_current(code: Path) -> bool:
    """Return whether the shared code was made by this version of Cython, and therefore fits its kernels."""
    from Cython import __version__

    if not code.is_file():
        return False
    with code.open(encoding="utf-8") as file:
        return f"Cython {__version__} " in file.readline()


def translate_shared(code: Path) -> None:
    """Write the C code that all kernels share."""
    code.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "cython", f"--generate-shared={code}"], check=True)


def size_of_code(module: Extension) -> int:
    """Return the size of the C code of a module in bytes."""
    return os.path.getsize(module.sources[0])


def extensions() -> list[Extension]:
    """Return the extension modules: the shared one, then the kernels."""
    shared = Extension(SHARED, [f"src/{SHARED.replace('.', '/')}.c"], extra_compile_args=FLAGS, optional=True)
    return [shared, *(extension(path) for path in KERNELS)]


def extension(path: Path) -> Extension:
    """Return the extension module of a kernel."""
    module = path.relative_to("src").with_suffix("")
    folder = module.parts[1]
    flags = FLAGS if folder in OPTIMIZED_FOLDERS else QUICK_FLAGS
    return Extension(".".join(module.parts), [path.as_posix()], extra_compile_args=flags, optional=True)


def remove_old_kernels() -> None:
    """Remove compiled modules whose source is no kernel any more: Python would import them first."""
    current = {path.with_suffix("") for path in KERNELS} | {Path("src", *SHARED.split("."))}
    for suffix in (".so", ".pyd"):
        for path in Path("src/webgrain").rglob(f"*{suffix}"):
            if path.with_name(path.name.partition(".")[0]) not in current:
                path.unlink()


options: dict[str, dict[str, object]] = {"build_ext": {"parallel": CORES}}
if not IN_PLACE:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    options["build"] = {"build_base": folder}
    options["build_ext"]["force"] = True

setup(
    ext_modules=[] if os.environ.get("WEBGRAIN_KERNELS") == "no" else extensions(),
    cmdclass={"build_ext": BuildKernels},
    options=options,
)
