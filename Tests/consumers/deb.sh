#!/usr/bin/env bash
# Installs the Debian packages into a root of their own, builds against them there, and removes them again, to the last
# file: deb.sh SOURCE-ROOT PACKAGE-FOLDER WORK-FOLDER
set -euo pipefail
# dpkg changes its root, for which a user namespace serves whoever is not root.
if [ "$(id -u)" != 0 ]; then exec unshare --map-root-user "$0" "$@"; fi
usage="usage: deb.sh SOURCE-ROOT PACKAGE-FOLDER WORK-FOLDER"
source=$(cd "${1:?$usage}" && pwd)
packages=$(cd "${2:?$usage}" && pwd)
root=${3:?$usage}/root
rm -rf "$root"
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
root=$(cd "$root" && pwd)
fail() { echo "  FAILED: $*" >&2; exit 1; }

# The root knows the C library as installed, so that dpkg checks the packages' dependencies in earnest.
: >"$root/var/lib/dpkg/status"
for package in libc6 libc6-dev; do
    dpkg-query -s "$package" | sed '/^\(Depends\|Pre-Depends\|Recommends\|Suggests\|Breaks\|Replaces\|Conflicts\|Conffiles\):/d; /^ \//d' \
        >>"$root/var/lib/dpkg/status"
    echo >>"$root/var/lib/dpkg/status"
done
list() { (cd "$root" && { find usr '(' -type f -o -type l ')' -ipath '*weaktimer*' || true; } | sort); }
dpkg_root() {
    dpkg --root="$root" --log="$root/dpkg.log" "$@" >"$root/output" 2>&1 || { cat "$root/output" >&2; fail "dpkg $*"; }
}

# What a maintainer script needs: a shell, the linker's cache, and the libraries of both.
for program in /bin/sh "$(PATH=$PATH:/sbin:/usr/sbin command -v ldconfig)"; do
    for file in "$program" $(ldd "$program" 2>/dev/null | grep -o '/[^ ]*' || true); do
        mkdir -p "$root$(dirname "$file")"
        cp -L "$file" "$root$file"
    done
done
mkdir -p "$root/etc"
cp -R /etc/ld.so.conf /etc/ld.so.conf.d "$root/etc/"

runtime=$(find "$packages" -name 'libweaktimer[0-9]*_*.deb' | sort | tail -1)
development=$(find "$packages" -name 'libweaktimer-dev_*.deb' | sort | tail -1)
[ -n "$runtime" ] && [ -n "$development" ] || fail "the packages are not in $packages"

if dpkg --root="$root" --log="$root/dpkg.log" -i "$development" >/dev/null 2>&1; then
    fail "the development package installs without the library"
fi
dpkg_root --purge --force-remove-reinstreq libweaktimer-dev
dpkg_root -i "$runtime" "$development"
echo "  ok: both packages install"
list | sed 's/^/    /'

PKG_CONFIG_PATH=$(dirname "$(find "$root/usr/lib" -name 'libweaktimer.so.0')")/pkgconfig
export PKG_CONFIG_PATH
# Inside the root the program finds the library by the linker's cache alone.
# shellcheck disable=SC2046
cc "$source/Tests/consumers/consumer.c" $(pkg-config --cflags --libs weaktimer) -o "$root/consumer"
chroot "$root" /consumer || fail "a program linked with the packages does not run"
# shellcheck disable=SC2046
cc -static "$source/Tests/consumers/consumer.c" $(pkg-config --static --cflags --libs weaktimer) -o "$root/static"
chroot "$root" /static >/dev/null || fail "a program linked statically with the packages does not run"
echo "  ok: programs build against the packages and run"

dpkg_root --purge libweaktimer-dev
chroot "$root" /consumer >/dev/null || fail "the library went with its development files"
dpkg_root --purge "$(basename "$runtime" | sed 's/_.*//')"
left=$(list)
[ -z "$left" ] || fail "left behind: $left"
echo "  ok: both packages uninstall without a trace"
