#!/usr/bin/env bash
# Builds the wheel of the Python module, installs it in a fresh environment, and runs its doctests,
# tests, examples and checks of its types and form there. Needs a Rust toolchain and Python 3.11 or
# newer with `venv`; the rest it installs. With `PROFILE=release` the wheel is one to use.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$root/target/python
rm -rf "$work"
mkdir -p "$work"
python3 -m venv "$work/venv"
bin=$work/venv/bin

# The profile of the tests: the wheel shares the dependencies that they have compiled.
profile=${PROFILE:-dev}
"$bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9.4,<2'
"$bin/maturin" build --profile "$profile" --manifest-path python/Cargo.toml --out "$work/wheels"
# Its command `eval` is what networks are compared with.
cargo build --quiet --profile "$profile" --bin tench
folder=$([ "$profile" = dev ] && echo debug || echo "$profile")
export TENCH_ENGINE=$root/target/$folder/tench

wheel=("$work"/wheels/*.whl)
"$bin/pip" install --quiet --disable-pip-version-check "${wheel[0]}[all]" \
  chess==1.11.2 mypy==2.4.1 pandas-stubs pytest ruff==0.17.6
"$bin/ruff" check --quiet --no-cache python
"$bin/ruff" format --check --quiet --no-cache python
cd "$work"
"$bin/pytest" --quiet -p no:cacheprovider --import-mode=importlib --rootdir "$root/python" \
  --doctest-modules --pyargs tench "$root/python/tests"
"$bin/mypy" --strict --no-error-summary --cache-dir "$work/mypy" -p tench
echo "python: ${wheel[0]##*/} passes"
