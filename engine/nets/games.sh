#!/usr/bin/env bash
# Makes the games that a network is trained on, by the engine of this checkout: builds, generates, checks and compresses.
#
#   engine/nets/games.sh [GAMES] [FOLDER] [SEED]      1,000,000 games into ./games with seed 1
#
# Nine games in ten are of 200 nodes a move, one of 600, as those of the default network. Interrupted, it goes on where it
# stopped when it is called again; other machines take other seeds. Needs `zstd`.
set -euo pipefail
games=${1:-1000000}
folder=${2:-games}
seed=${3:-1}
root=$(cd "$(dirname "$0")/../.." && pwd)

cargo build --release --manifest-path "$root/Cargo.toml" --package tench-harness
harness=$root/target/release/harness
mkdir -p "$folder"

generate() {
  local nodes=$1 games=$2
  local file=$folder/selfplay-$nodes-$seed.vf
  # A file beside it: it was not compressed to its end.
  [ -e "$file.zst" ] && [ ! -e "$file" ] && return
  local resume=()
  [ -e "$file" ] && resume=(--resume)
  "$harness" --reports "$folder/reports" data generate --games "$games" --nodes "$nodes" --hard-nodes $((4 * nodes)) \
    --balance 100 --win-score 1500 --option Hash=1 --seed "$seed" --output "$file" ${resume[@]+"${resume[@]}"}
  "$harness" data validate "$file"
  zstd --quiet --force --rm "$file"
}

generate 200 $((games - games / 10))
generate 600 $((games / 10))
"$harness" data stats "$folder"/selfplay-*-"$seed".vf.zst
