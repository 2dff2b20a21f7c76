"""Writes examples.tfrecord and examples.tfrecord.gz with TensorFlow's own library; TfRecordTest knows their content."""
import pathlib

import tensorflow as tf

here = pathlib.Path(__file__).parent


def example(i):
    return tf.train.Example(features=tf.train.Features(feature={
        "image": tf.train.Feature(float_list=tf.train.FloatList(value=[i, i / 4, -i])),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[i * i - 50])),
        "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[f"row-{i:03d}".encode()])),
    })).SerializeToString()


for name, compression in (("examples.tfrecord", ""), ("examples.tfrecord.gz", "GZIP")):
    with tf.io.TFRecordWriter(str(here / name), options=compression) as writer:
        for i in range(25):
            writer.write(example(i))
