"""Where the files of the data benchmark are; ours makes them when it starts, and the peers wait for that."""

import pathlib
import time

FOLDER = pathlib.Path("bench/target/data")
NUMBERS = [f"n{i}" for i in range(20)]
CATEGORIES = [f"c{i}" for i in range(5)]
BATCH = 256


def folder():
    for _ in range(1200):
        if (FOLDER / "ready").exists():
            return FOLDER
        time.sleep(0.1)
    raise RuntimeError(f"{FOLDER} was not made within two minutes")
