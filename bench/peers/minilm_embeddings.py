"""What transformers makes of sentences with a model of Hugging Face's layout and the pooling of Sentence Transformers.

python minilm_embeddings.py FOLDER OUTPUT.safetensors: writes the token ids and the embeddings of a few sentences.
"""
import sys

import torch
from safetensors.torch import save_file
from transformers import AutoModel, AutoTokenizer

SENTENCES = [
    "A great film, and a lesson in patience.",
    "The plot is thin.",
    "Distributed training of neural networks on the JVM, with parameter servers and all-reduce.",
    "It will be forgotten by tomorrow morning, which is perhaps for the best.",
]

folder, output = sys.argv[1:]
tokens = AutoTokenizer.from_pretrained(folder)(SENTENCES, padding=True, return_tensors="pt")
model = AutoModel.from_pretrained(folder).eval()
with torch.no_grad():
    states = model(**tokens).last_hidden_state
    mask = tokens["attention_mask"].unsqueeze(-1).float()
    pooled = (states * mask).sum(1) / mask.sum(1)
    unit = torch.nn.functional.normalize(pooled, dim=1)
save_file({"ids": tokens["input_ids"], "output": unit.contiguous()}, output)
