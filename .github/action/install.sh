#!/usr/bin/env bash
# Puts ngxlimit into the runner's temporary folder: a release with its checksum compared, or one built from the source
# that lies beside this script.
set -euo pipefail

bin="$RUNNER_TEMP/ngxlimit-bin"
mkdir -p "$bin"

if [ -z "${NGXLIMIT_VERSION:-}" ]; then
  command -v go >/dev/null || { echo '::error::ngxlimit is built with Go: run actions/setup-go before, or name a version to take a release' ; exit 2; }
  go build -C "$NGXLIMIT_SOURCE" -o "$bin/" ./cmd/ngxlimit
  exit 0
fi

version=${NGXLIMIT_VERSION#v}
case $version in
  *[!0-9A-Za-z.+-]*) echo '::error::version: it is no version, such as 1.0.0'; exit 2 ;;
esac
case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) os=windows ;;
esac
case $(uname -m) in
  arm64 | aarch64) arch=arm64 ;;
  *) arch=amd64 ;;
esac
kind=tar.gz
[ "$os" = windows ] && kind=zip
name="ngxlimit_${version}_${os}_${arch}.$kind"
from="${NGXLIMIT_RELEASES:-https://github.com/ngxlimit/ngxlimit/releases/download}/v$version"

cd "$bin"
curl -fsSL --retry 3 -o "$name" "$from/$name"
curl -fsSL --retry 3 -o checksums.txt "$from/checksums.txt"
want=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' checksums.txt)
if command -v sha256sum >/dev/null; then
  got=$(sha256sum "$name" | cut -d' ' -f1)
else
  got=$(shasum -a 256 "$name" | cut -d' ' -f1)
fi
if [ -z "$want" ] || [ "$got" != "$want" ]; then
  echo "::error::$name is not what checksums.txt of the release says"
  exit 2
fi
if [ "$kind" = zip ]; then unzip -qo "$name" ngxlimit.exe; else tar -xzf "$name" ngxlimit; fi
