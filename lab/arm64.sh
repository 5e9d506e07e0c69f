#!/usr/bin/env bash
# lab/arm64.sh PYTHON: the model files of all methods, made by an arm64 processor that QEMU emulates, compared byte by byte
# with those of this machine. PYTHON has casebase installed. It needs Debian, and its packages qemu-user-static,
# g++-aarch64-linux-gnu, cmake and ninja-build; nothing is installed in the system, all files are in build/arm64.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$PWD/$1
work=$PWD/build/arm64
root=$work/root

for program in qemu-aarch64-static aarch64-linux-gnu-g++ cmake ninja apt-get dpkg-deb; do
  if ! command -v $program >/dev/null; then
    echo "Nothing was compared: $program is not installed."
    exit 0
  fi
done

if [ ! -e "$work/unpacked" ]; then
  echo "Unpacking Debian's Python for arm64."
  mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$root"
  cat >"$work/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State "$work/state";
Dir::State::status "/dev/null";
Dir::Cache "$work/cache";
END
  export APT_CONFIG=$work/apt.conf
  apt-get -qq update
  apt-get -qq install --download-only -y --no-install-recommends python3 libpython3-dev libstdc++6 >/dev/null
  for package in "$work"/cache/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
  touch "$work/unpacked"
fi
include=$(echo "$root"/usr/include/python3.*)
version=${include##*/python}
emulated() { PYTHONPATH=$work/packages PYTHONDONTWRITEBYTECODE=1 qemu-aarch64-static -L "$root" "$root/usr/bin/python$version" "$@"; }

echo "Installing the requirements for Python $version on arm64."
$python -m pip install -q --upgrade --target "$work/packages" --python-version "$version" --implementation cp --only-binary=:all: \
  --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux_2_17_aarch64 \
  $($python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'])")

echo "Compiling the core for arm64: some minutes."
$python -m pip install -q "nanobind>=2.4"
cmake -G Ninja -S . -B "$work/objects" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
  -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_CXX_FLAGS="-idirafter $root/usr/include" \
  -DPython_EXECUTABLE="$python" -DPython_INCLUDE_DIR="$include" -DNB_SUFFIX=.so >"$work/cmake.log"
cmake --build "$work/objects" >"$work/build.log"
rm -rf "$work/packages/casebase"
cp -r src/casebase "$work/packages/"
cp "$work/objects/_native.so" "$work/packages/casebase/"

emulated -c "import platform; print('Training every method on', platform.machine())"
$python -m lab.determinism build/determinism/here
emulated -m lab.determinism build/determinism/arm64 --against build/determinism/here
