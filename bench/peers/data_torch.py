"""Files into batches for PyTorch: an IterableDataset that reads with pyarrow in chunks and computes on whole columns."""

import contender

answers = contender.own_standard_output()

import data_files
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Table(IterableDataset):
    """Batches of standardised numbers and ids of categories, made from chunks of columns."""

    def __init__(self, chunks, mean, deviation, words):
        self.chunks, self.mean, self.deviation, self.words = chunks, mean, deviation, words

    def __iter__(self):
        for chunk in self.chunks():
            numbers = np.stack([chunk.column(n).to_numpy(zero_copy_only=False) for n in data_files.NUMBERS], axis=1)
            numbers = ((numbers - self.mean) / self.deviation).astype(np.float32)
            ids = np.stack(
                [pc.index_in(chunk.column(c), self.words[c]).to_numpy(zero_copy_only=False) for c in data_files.CATEGORIES],
                axis=1).astype(np.int64) + 1
            numbers, ids = torch.from_numpy(numbers), torch.from_numpy(ids)
            for at in range(0, len(numbers), data_files.BATCH):
                yield numbers[at:at + data_files.BATCH], ids[at:at + data_files.BATCH]


def table(whole, chunks):
    mean = np.array([pc.mean(whole[n]).as_py() for n in data_files.NUMBERS])
    deviation = np.array([pc.stddev(whole[n]).as_py() for n in data_files.NUMBERS])
    words = {c: whole[c].unique() for c in data_files.CATEGORIES}
    words = {c: w.combine_chunks() if isinstance(w, pa.ChunkedArray) else w for c, w in words.items()}
    return one_pass(lambda: DataLoader(Table(chunks, mean, deviation, words), batch_size=None), len(whole))


def one_pass(loader, rows):
    def step():
        seen = sum(len(batch[0]) for batch in loader())
        assert seen == rows, f"expected {rows} rows, received {seen}"
    return contender.Workload(rows, step)


def csv():
    file = data_files.folder() / "table.csv"
    return table(pa.csv.read_csv(file), lambda: pa.csv.open_csv(file, pa.csv.ReadOptions(block_size=1 << 22)))


def parquet():
    file = data_files.folder() / "table.parquet"
    return table(pa.parquet.read_table(file), lambda: pa.parquet.ParquetFile(file).iter_batches(batch_size=1 << 16))


class Images(Dataset):
    def __init__(self):
        self.files = sorted((data_files.folder() / "images").glob("*/*.jpg"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        from torchvision.io import ImageReadMode, decode_jpeg, read_file
        from torchvision.transforms.v2 import functional
        image = decode_jpeg(read_file(str(self.files[i])), ImageReadMode.RGB)
        image = functional.resize(image, [128, 128], antialias=True)
        return image.float() / 255, int(self.files[i].parent.name[1:])


def jpeg():
    images = Images()
    return one_pass(lambda: DataLoader(images, batch_size=data_files.BATCH, num_workers=2, persistent_workers=False), len(images))


def tfrecord():
    raise RuntimeError("PyTorch has no reader of TFRecords")


contender.serve(answers, {"csv": csv, "parquet": parquet, "tfrecord": tfrecord, "jpeg": jpeg})
