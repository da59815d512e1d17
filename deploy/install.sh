#!/bin/sh
# Downloads formsrv for this machine, compares it with its SHA-256 and installs it:
#   FORMSRV_RELEASES=https://… sh install.sh
# FORMSRV_RELEASES is the address of the folder that has the release; FORMSRV_PREFIX is where it goes (/usr/local): the program
# to bin, the manual page to share/man/man1, on Linux the unit of systemd to lib/systemd/system.
set -eu

fail() {
	echo "Not installed: $1" >&2
	exit 1
}

download() {
	if command -v curl >/dev/null; then
		curl -fsSL --retry 3 -o "$2" "$1"
	elif command -v wget >/dev/null; then
		wget -q -O "$2" "$1"
	else
		fail 'neither curl nor wget is there.'
	fi || fail "$1 cannot be downloaded."
}

sha256() {
	if command -v sha256sum >/dev/null; then
		sha256sum "$1"
	else
		shasum -a 256 "$1"
	fi | cut -d ' ' -f 1
}

target() {
	case $(uname -s) in
	Linux) system=linux ;;
	Darwin) system=macos ;;
	*) fail "there is no formsrv for $(uname -s). For Windows, unpack formsrv-windows-x64.tar.gz." ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) machine=x64 ;;
	aarch64 | arm64) machine=arm64 ;;
	*) fail "there is no formsrv for $(uname -m)." ;;
	esac
	case $system$(ldd --version 2>&1 || true) in
	linux*musl*) libc=-musl ;;
	*) libc= ;;
	esac
	echo "$system-$machine$libc"
}

no_access() {
	fail "$prefix cannot be written to. If it is not yours, run this with sudo, or set FORMSRV_PREFIX to a folder of yours."
}

# Called in the last line, so that half of this file does nothing.
main() {
	[ -n "${FORMSRV_RELEASES:-}" ] || fail 'set FORMSRV_RELEASES to the address of the release.'
	prefix=${FORMSRV_PREFIX:-/usr/local}
	name=formsrv-$(target).tar.gz
	folder=$(mktemp -d)
	trap 'rm -rf "$folder" "$prefix/bin/formsrv.new"' EXIT
	# Others run it.
	umask 022
	download "$FORMSRV_RELEASES/SHA256SUMS" "$folder/SHA256SUMS"
	download "$FORMSRV_RELEASES/$name" "$folder/$name"
	sum=$(sed -n "s/^\([0-9a-f]\{64\}\)  $name\$/\1/p" "$folder/SHA256SUMS")
	[ -n "$sum" ] || fail "SHA256SUMS does not name $name."
	[ "$(sha256 "$folder/$name")" = "$sum" ] || fail "$name is not what SHA256SUMS says. Download it again."
	tar -xzf "$folder/$name" -C "$folder"
	version=$("$folder/formsrv" --version) || fail "the program does not run here. On Alpine it needs libstdc++; if $folder is mounted noexec, set TMPDIR to another folder."
	mkdir -p "$prefix/bin" "$prefix/share/man/man1" || no_access
	[ ! -d "$prefix/bin/formsrv" ] || fail "$prefix/bin/formsrv is a folder."
	# A program that runs cannot be written over, only replaced.
	cp "$folder/formsrv" "$prefix/bin/formsrv.new" || no_access
	chmod 755 "$prefix/bin/formsrv.new"
	mv "$prefix/bin/formsrv.new" "$prefix/bin/formsrv"
	cp "$folder/formsrv.1" "$prefix/share/man/man1/"
	if [ -f "$folder/formsrv.service" ]; then
		mkdir -p "$prefix/lib/systemd/system"
		cp "$folder/formsrv.service" "$prefix/lib/systemd/system/"
	fi
	echo "formsrv $version is in $prefix/bin."
}

main
