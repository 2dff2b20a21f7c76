#!/usr/bin/env bash
# Races the search of bench/tuning.yaml: ASHA beside random search over the same points, and beside Optuna with PyTorch on the same space, for
# five seeds in turn. Writes bench/results/tuning.md.
#
#   bench/tuning.sh WORK [SEEDS]     a folder for what is made; PYTHON=... names a Python that has optuna and torch
set -euo pipefail
if [ $# -lt 1 ]; then
    sed -n '5p' "$0" >&2
    exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
work=$(readlink -f "$1") seeds=${2:-5}
python=${PYTHON:-${XDG_CACHE_HOME:-$HOME/.cache}/tutti/peers/bin/python}
cd "$root"
search() { # name, how points are chosen, which trials go on, seed
    local began=$EPOCHREALTIME
    ./tutti tune bench/tuning.yaml --trials 12 --search "$2" --scheduler "$3" --seed "$4" --output "$work/runs/$1-$4" --json \
        >"$work/$1-$4.json" 2>"$work/$1-$4.log"
    echo "$began $EPOCHREALTIME" >"$work/$1-$4.time"
}
for ((seed = 0; seed < seeds; seed++)); do
    search tpe tpe asha "$seed"
    began=$EPOCHREALTIME
    "$python" bench/peers/tune_optuna.py --mnist datasets/mnist --trials 12 --places 2 --seed "$seed" >"$work/optuna-$seed.json" 2>"$work/optuna-$seed.log"
    echo "$began $EPOCHREALTIME" >"$work/optuna-$seed.time"
    search asha random asha "$seed"
    search random random none "$seed"
    echo "seed $seed is done" >&2
done
python3 - "$work" "$seeds" <<'PYTHON' >bench/results/tuning.md
import json, os, platform, statistics, sys

work, seeds = sys.argv[1], int(sys.argv[2])


def one(name, seed):
    answer = json.load(open(f"{work}/{name}-{seed}.json"))
    began, ended = map(float, open(f"{work}/{name}-{seed}.time").read().split())
    if name == "optuna":
        return answer["best"], answer["epochs"], answer["trials"] * 3600 / (ended - began)
    rows = answer["trials"]
    best = max(row["value"] for row in rows if row.get("value") is not None)
    return best, sum(row["epochs"] for row in rows), len(rows) * 3600 / (ended - began)


rows = {name: [one(name, seed) for seed in range(seeds)] for name in ("tpe", "optuna", "asha", "random")}
labels = {"tpe": "Tutti, TPE with ASHA", "optuna": "Optuna, TPE with successive halving",
          "asha": "Tutti, random points with ASHA", "random": "Tutti, the same points to the end"}


def middle(values, form):
    return f"{form(statistics.median(values))} ({form(min(values))} to {form(max(values))})"


print("# Tuning\n")
print(f"`bench/tuning.sh WORK {seeds}` on {platform.machine()} with {os.cpu_count()} cores: 12 trials of at most 9 epochs each, two at a time, on")
print("6,000 rows of MNIST (bench/tuning.yaml); whole commands with their start. Medians and ranges over the seeds.\n")
print("| | best accuracy | epochs | trials an hour |\n|---|---|---|---|")
for name, values in rows.items():
    print(f"| {labels[name]} | {middle([v[0] for v in values], '{:.4f}'.format)} | {middle([v[1] for v in values], '{:.0f}'.format)} |"
          f" {middle([v[2] for v in values], '{:.0f}'.format)} |")
pace = statistics.median(t[2] / o[2] for t, o in zip(rows["tpe"], rows["optuna"]))
share = statistics.median(a[1] / r[1] for a, r in zip(rows["asha"], rows["random"]))
lost = statistics.median(r[0] - a[0] for a, r in zip(rows["asha"], rows["random"]))
print(f"\nTrials an hour beside Optuna: {pace:.2f} (aim 1.5). Epochs of ASHA beside random search: {share:.2f} (aim 0.33), for {lost:+.4f} of"
      " accuracy lost (median of the seeds' differences).")
PYTHON
cat bench/results/tuning.md
