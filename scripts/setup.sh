#!/usr/bin/env bash
# Installs what the named groups need, and only what is missing: setup.sh GROUP ...
# Debian's packages are used where apt-get is there and may be used; cmake and ninja also come from pip.
set -euo pipefail

updated=
quietly() {
    local log
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

apt_install() {
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || return 1
    local get=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300)
    # The lists may be good already; an update is made at most once, and only when an installation failed for want of it.
    if quietly as_root "${get[@]}" install --no-install-recommends "$@" 2>/dev/null; then return 0; fi
    if [ -z "$updated" ]; then
        updated=1
        quietly as_root "${get[@]}" update || true
    fi
    quietly as_root "${get[@]}" install --no-install-recommends "$@"
}

pip_install() {
    command -v python3 >/dev/null || return 1
    quietly python3 -m pip install --quiet "$@" || quietly python3 -m pip install --quiet --user --break-system-packages "$@"
}

# need COMMAND PACKAGE [PIP PACKAGE]
need() {
    command -v "$1" >/dev/null 2>&1 && return 0
    echo "setup: installing $2"
    apt_install "$2" || { [ -n "${3:-}" ] && pip_install "$3"; } || {
        echo "setup: $1 is missing, and neither apt-get nor pip could install it" >&2
        exit 1
    }
    hash -r
}

# need_library PKG-CONFIG-MODULE PACKAGE
need_library() {
    pkg-config --exists "$1" 2>/dev/null && return 0
    echo "setup: installing $2"
    apt_install "$2" || { echo "setup: $2 is missing and could not be installed" >&2; exit 1; }
}

# need_file FILE PACKAGE, for libraries without a pkg-config file
need_file() {
    [ -e "$1" ] && return 0
    echo "setup: installing $2"
    apt_install "$2" || { echo "setup: $2 is missing and could not be installed" >&2; exit 1; }
}

if ! command -v swiftc >/dev/null; then
    echo "setup: swiftc is not on PATH: install the Swift toolchain (6.3 or later) first" >&2
    exit 1
fi

for group in "$@"; do
    case $group in
    build)
        need cmake cmake cmake
        need ninja ninja-build ninja
        need objcopy binutils
        ;;
    test)
        need python3 python3
        need pkg-config pkg-config
        need g++ g++
        need valgrind valgrind
        need readelf binutils
        ;;
    loops)
        need pkg-config pkg-config
        need_library libuv libuv1-dev
        need_library glib-2.0 libglib2.0-dev
        need_library libevent libevent-dev
        ;;
    abi) need abidiff abigail-tools ;;
    package)
        need dpkg-deb dpkg
        need dpkg-shlibdeps dpkg-dev
        need file file
        need fakeroot fakeroot
        ;;
    model) need spin spin ;;
    format)
        need python3 python3
        python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv
        ;;
    *) echo "setup: no such group: $group (build test loops abi package model format)" >&2; exit 2 ;;
    esac
done
