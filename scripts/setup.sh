#!/usr/bin/env bash
# Set up a checkout: a virtual environment in $1 with the package and its extras $2, and a browser.
# The kernels are compiled while the packages are installed: both take about half a minute or more.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=$1
extras=$2

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo -n "$@"; else return 1; fi; }

apt_install() {
    command -v apt-get >/dev/null || return 1
    as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

find_python() {  # the first Python that is new enough and can create virtual environments
    for name in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do
        if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    return 1
}

find_browser() {
    [ -n "${WEBGRAIN_BROWSER:-}" ] && return
    for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
        command -v "$name" >/dev/null && return
    done
    return 1
}

python=$(find_python) || { apt_install python3 python3-venv python3-dev gcc && python=$(find_python); } || {
    echo "webgrain needs Python 3.11 or newer with venv: install it and run this again." >&2
    exit 1
}
command -v cc >/dev/null || apt_install gcc python3-dev ||
    echo "No C compiler found: the kernels will run uncompiled, much slower; install gcc and the Python headers." >&2
find_browser || apt_install chromium fonts-dejavu fonts-liberation ||
    echo "No browser found: install Chromium or Chrome, or set WEBGRAIN_BROWSER to its path." >&2

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
# Modules are compiled to bytecode when they are first imported: most of them never are.
install() { "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile "$@"; }
install 'setuptools>=77' 'cython>=3.2'
"$venv/bin/python" setup.py --quiet build_ext --inplace &
compiler=$!
trap 'kill "$compiler" 2>/dev/null || true' EXIT
WEBGRAIN_KERNELS=no install --no-build-isolation --editable ".[$extras]"
wait "$compiler"
trap - EXIT
