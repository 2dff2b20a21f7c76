"""Fine-tuning of an encoder of MiniLM's size with Hugging Face's transformers and peft, as their guides write it.

Weights and tokens are random: nothing is fetched. Dropout is 0, as on the other side.
"""

import itertools
import os

import contender

answers = contender.own_standard_output()
os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from peft import LoraConfig, get_peft_model
from transformers import BertConfig, BertForSequenceClassification

BATCH, LENGTH, BATCHES = 16, 64, 8


def model():
    return BertForSequenceClassification(BertConfig(
        vocab_size=30522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=2))


def training(net):
    net.train()
    optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=2e-5)
    mask = torch.ones(BATCH, LENGTH, dtype=torch.long)
    data = [(torch.randint(1, 30522, (BATCH, LENGTH)), torch.randint(0, 2, (BATCH,))) for _ in range(BATCHES)]
    turns = itertools.cycle(data)

    def step():
        ids, labels = next(turns)
        optimizer.zero_grad()
        loss = net(input_ids=ids, attention_mask=mask, labels=labels).loss
        loss.backward()
        optimizer.step()

    return contender.Workload(BATCH, step)


def lora():
    return training(get_peft_model(model(), LoraConfig(
        task_type="SEQ_CLS", r=8, lora_alpha=16, lora_dropout=0.0, target_modules="all-linear")))


def head():
    net = model()
    for parameter in net.bert.parameters():
        parameter.requires_grad = False
    return training(net)


if __name__ == "__main__":
    torch.manual_seed(7)
    contender.serve(answers, {"full": lambda: training(model()), "lora": lora, "head": head})
