"""Files into batches with tf.data: lines and records are parsed a batch at a time, on all cores."""

import contender

answers = contender.own_standard_output()

import data_files
import tensorflow as tf


def one_pass(data, rows):
    def step():
        seen = sum(int(batch[0].shape[0]) for batch in data)
        assert seen == rows, f"expected {rows} rows, received {seen}"
    return contender.Workload(rows, step)


def csv():
    file = str(data_files.folder() / "table.csv")
    defaults = [0.0] * 20 + [""] * 5
    head = next(iter(tf.data.TextLineDataset(file).skip(1).batch(20000).map(lambda lines: tf.io.decode_csv(lines, defaults))))
    numbers = tf.stack(head[:20], axis=1)
    mean, deviation = tf.reduce_mean(numbers, 0), tf.math.reduce_std(numbers, 0)
    words = [tf.keras.layers.StringLookup(vocabulary=tf.unique(column)[0].numpy()) for column in head[20:]]

    def parse(lines):
        columns = tf.io.decode_csv(lines, defaults)
        ids = [look(column) for look, column in zip(words, columns[20:])]
        return (tf.stack(columns[:20], axis=1) - mean) / deviation, tf.stack(ids, axis=1)

    data = tf.data.TextLineDataset(file).skip(1).batch(data_files.BATCH).map(parse, tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)
    return one_pass(data, 200_000)


def parquet():
    raise RuntimeError("TensorFlow has no reader of Parquet")


def tfrecord():
    file = str(data_files.folder() / "records.tfrecord")
    features = {"image": tf.io.FixedLenFeature([784], tf.float32), "label": tf.io.FixedLenFeature([], tf.int64)}

    def parse(records):
        example = tf.io.parse_example(records, features)
        return example["image"], example["label"]

    data = tf.data.TFRecordDataset(file).batch(data_files.BATCH).map(parse, tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)
    return one_pass(data, 20_000)


def jpeg():
    files = sorted(str(file) for file in (data_files.folder() / "images").glob("*/*.jpg"))

    def decode(file):
        image = tf.io.decode_jpeg(tf.io.read_file(file), channels=3)
        return tf.image.resize(image, [128, 128], antialias=True) / 255, tf.constant(0)

    data = tf.data.Dataset.from_tensor_slices(files).map(decode, tf.data.AUTOTUNE)
    return one_pass(data.batch(data_files.BATCH).prefetch(tf.data.AUTOTUNE), len(files))


contender.serve(answers, {"csv": csv, "parquet": parquet, "tfrecord": tfrecord, "jpeg": jpeg})
