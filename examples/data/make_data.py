"""Makes the small files of this folder by seed, with TensorFlow's and Arrow's own libraries: python make_data.py"""

import pathlib
import random

import pyarrow as pa
import pyarrow.parquet
import tensorflow as tf

here = pathlib.Path(__file__).parent
chance = random.Random(7)


def people():
    lines = ["id,age,work,hours,since,income"]
    for i in range(600):
        age, work, hours = chance.randrange(18, 80), chance.choice(["clerk", "nurse", "pilot", "writer"]), chance.randrange(5, 50)
        rich = hours * (1 + ["clerk", "nurse", "pilot", "writer"].index(work)) + (25 if age > 45 else 0) > 75
        shown = "" if i % 40 == 3 else age
        lines.append(f"p{i},{shown},{work},{hours},20{chance.randrange(10, 25)}-{chance.randrange(1, 13):02d}-11,{'high' if rich else 'low'}")
    (here / "people.csv").write_text("\n".join(lines) + "\n")


def orders():
    for part in (1, 2):
        rows = [(chance.choice("abc"), chance.randrange(1, 9), chance.uniform(1, 50)) for _ in range(300)]
        pa.parquet.write_table(pa.table({
            "shop": [shop for shop, _, _ in rows],
            "pieces": [pieces for _, pieces, _ in rows],
            "price": [price for _, _, price in rows],
            "total": [pieces * price * (1.2 if shop == "c" else 1) for shop, pieces, price in rows],
        }), here / f"orders-{part}.parquet")


def bars():
    """8 x 8 pictures of an upright or a lying bar in noise."""
    with tf.io.TFRecordWriter(str(here / "bars.tfrecord.gz"), options="GZIP") as writer:
        for _ in range(400):
            lying, place = chance.randrange(2), chance.randrange(8)
            pixels = [chance.random() * 0.5 + (0.5 if (at // 8 if lying else at % 8) == place else 0) for at in range(64)]
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                "image": tf.train.Feature(float_list=tf.train.FloatList(value=pixels)),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[lying])),
            })).SerializeToString())


def photos():
    for i in range(40):
        name = ("bright", "dark")[i % 2]
        level = chance.randrange(140, 250) if name == "bright" else chance.randrange(10, 110)
        pixels = [max(0, min(255, level + chance.randrange(-20, 20))) for _ in range(16 * 16 * 3)]
        file = here / "photos" / name / f"{i}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(tf.io.encode_png(tf.reshape(tf.constant(pixels, tf.uint8), (16, 16, 3))).numpy())


def reviews():
    good, bad = ["lovely", "fine", "superb", "warm"], ["dull", "awful", "cold", "broken"]
    lines = ["text,verdict"]
    for _ in range(400):
        verdict = chance.random() < 0.5
        words = ["the", chance.choice(["film", "meal", "book", "room"]), "was", chance.choice(good if verdict else bad), "and",
                 chance.choice(good if verdict else bad), "for", chance.choice(["us", "me", "everyone"])]
        lines.append(f"{' '.join(words)},{'good' if verdict else 'bad'}")
    (here / "reviews.csv").write_text("\n".join(lines) + "\n")


people(), orders(), bars(), photos(), reviews()
