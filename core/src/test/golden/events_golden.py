"""Makes python.tfevents with PyTorch's own writer; or checks a folder of event files that Tutti wrote.

    python events_golden.py make ../resources/dev/tutti/io/python.tfevents
    python events_golden.py check FOLDER      # reads it with TensorBoard and prints what is inside
"""

import pathlib
import shutil
import sys
import tempfile


def make(path):
    import torch
    from torch.utils.tensorboard import SummaryWriter

    with tempfile.TemporaryDirectory() as folder:
        with SummaryWriter(folder) as writer:
            for step in range(3):
                writer.add_scalar("train/loss", 1.0 / (step + 1), step, walltime=1000.5 + step)
            writer.add_histogram("weights", torch.arange(100) / 100.0, 2, walltime=1003.5)
        (written,) = pathlib.Path(folder).glob("events.out.tfevents.*")
        shutil.copyfile(written, path)


def check(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(folder, size_guidance={"scalars": 0, "histograms": 0, "tensors": 0})
    events.Reload()
    tags = events.Tags()
    for tag in tags["scalars"]:
        print("scalar", tag, [(e.wall_time, e.step, e.value) for e in events.Scalars(tag)][:5])
    for tag in tags["histograms"]:
        for event in events.Histograms(tag):
            value = event.histogram_value
            print("histogram", tag, event.step, value.min, value.max, value.num, value.sum, value.sum_squares)
            print("    limits", list(value.bucket_limit))
            print("    counts", list(value.bucket))
    for tag in tags["tensors"]:
        for event in events.Tensors(tag):
            print("tensor", tag, event.step, event.tensor_proto.string_val)


{"make": make, "check": check}[sys.argv[1]](sys.argv[2])
