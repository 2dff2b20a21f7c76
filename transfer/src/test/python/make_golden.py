"""Makes the small models of Hugging Face's layout that the tests read, and what they give.

Run with transformers and safetensors installed: python make_golden.py ../resources/huggingface
"""
import json
import pathlib
import sys

import torch
from safetensors.torch import save_file
from transformers import (BertConfig, BertModel, DistilBertConfig, DistilBertModel, GPT2Config, GPT2LMHeadModel, LlamaConfig,
                          LlamaForCausalLM)

torch.manual_seed(7)
root = pathlib.Path(sys.argv[1])
ids = torch.tensor([[2, 7, 9, 3, 0, 0], [2, 5, 6, 8, 11, 3]])
mask = (ids != 0).long()


def tiny(name, model, output, tensors=None):
    model.eval()
    with torch.no_grad():
        for parameter in model.parameters():  # also biases and norms differ from their first values
            parameter.add_(torch.randn_like(parameter) * 0.1)
        values = output(model)
    folder = root / name
    model.save_pretrained(folder, safe_serialization=True)
    for extra in folder.glob("generation_config.json"):
        extra.unlink()
    save_file({"ids": ids, "output": values.contiguous()}, folder / "golden.safetensors")


tiny("bert", BertModel(BertConfig(vocab_size=20, hidden_size=16, num_hidden_layers=2, num_attention_heads=4,
                                  intermediate_size=24, max_position_embeddings=12, pad_token_id=0)),
     lambda m: m(ids, attention_mask=mask).last_hidden_state)
tiny("distilbert", DistilBertModel(DistilBertConfig(vocab_size=20, dim=16, n_layers=2, n_heads=2, hidden_dim=24,
                                                    max_position_embeddings=12, pad_token_id=0)),
     lambda m: m(ids, attention_mask=mask).last_hidden_state)
tiny("gpt2", GPT2LMHeadModel(GPT2Config(vocab_size=20, n_embd=16, n_layer=2, n_head=4, n_positions=12,
                                        bos_token_id=0, eos_token_id=0)),
     lambda m: m(ids).logits)
tiny("llama", LlamaForCausalLM(LlamaConfig(vocab_size=20, hidden_size=16, num_hidden_layers=2, num_attention_heads=4,
                                           num_key_value_heads=2, intermediate_size=24, max_position_embeddings=12,
                                           rope_theta=5000.0, rms_norm_eps=1e-6, tie_word_embeddings=False,
                                           pad_token_id=0, bos_token_id=1, eos_token_id=2)),
     lambda m: m(ids).logits)
