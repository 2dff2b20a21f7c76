"""TensorFlow's ParameterServerStrategy: one server, and workers that are processes of their own.

As its guide writes it: `tf.distribute.Server` in every server and worker, a `ClusterCoordinator` in this process that schedules training steps
on the workers, variables on the server. `64MB` is a vector on the server that this process changes by one of its own and then reads.
"""

import json
import os
import socket
import subprocess
import sys
import time

import contender

answers = contender.own_standard_output()
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf
from tensorflow import keras

import engine_tensorflow_models as models

WORKERS = 2


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def serve(job, index, cluster):
    config = tf.compat.v1.ConfigProto()
    config.intra_op_parallelism_threads = 1
    config.inter_op_parallelism_threads = 4
    server = tf.distribute.Server(
        tf.train.ClusterSpec(cluster), job_name=job, task_index=index, protocol="grpc", config=config, start=True)
    server.join()


class Cluster:
    """The processes, and this one as the coordinator of them."""

    def __init__(self):
        ports = free_ports(WORKERS + 2)
        self.cluster = {
            "ps": [f"127.0.0.1:{ports[0]}"],
            "worker": [f"127.0.0.1:{port}" for port in ports[1:1 + WORKERS]],
            "chief": [f"127.0.0.1:{ports[-1]}"]}
        tasks = [("ps", 0)] + [("worker", i) for i in range(WORKERS)]
        self.processes = [subprocess.Popen(
            [sys.executable, __file__, "--serve", job, str(index), json.dumps(self.cluster)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) for job, index in tasks]
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
            tf.train.ClusterSpec(self.cluster), task_type="chief", task_id=0, rpc_layer="grpc")
        self.strategy = tf.distribute.ParameterServerStrategy(resolver)
        self.coordinator = tf.distribute.coordinator.ClusterCoordinator(self.strategy)

    def close(self):
        for process in self.processes:
            process.kill()


def exchange(cluster):
    length = 16 << 20
    with tf.device("/job:ps/replica:0/task:0/device:CPU:0"):
        vector = tf.Variable(tf.zeros([length]))
    gradient = tf.constant(np.full(length, 1e-6, dtype=np.float32))

    def step():
        vector.assign_sub(gradient)
        with tf.device("/job:chief/replica:0/task:0/device:CPU:0"):
            tf.identity(vector).numpy()

    return contender.Workload(1, step)


def training(cluster, build, batch, shape):
    with cluster.strategy.scope():
        model = build()
        optimizer = keras.optimizers.Adam(1e-3)
        optimizer.build(model.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def data():
        random = np.random.default_rng(7)
        inputs = random.standard_normal((8 * batch, *shape), dtype=np.float32)
        labels = random.integers(0, 10, 8 * batch, dtype=np.int32)
        return tf.data.Dataset.from_tensor_slices((inputs, labels)).repeat().batch(batch).prefetch(2)

    @tf.function
    def step_fn(iterator):
        def replica(x, y):
            with tf.GradientTape() as tape:
                loss = loss_of(y, model(x, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            return loss
        x, y = next(iterator)
        return cluster.strategy.run(replica, args=(x, y))

    iterator = iter(cluster.coordinator.create_per_worker_dataset(data))

    class Scheduled(contender.Workload):
        def run(self, seconds):
            began, steps = time.perf_counter(), 0
            while True:
                for _ in range(10):
                    cluster.coordinator.schedule(step_fn, args=(iterator,))
                cluster.coordinator.join()
                steps += 10
                if time.perf_counter() - began >= seconds:
                    return self.pace(steps, time.perf_counter() - began)

    return Scheduled(batch, lambda: None)


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--serve":
        serve(sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4]))
        return
    keras.utils.set_random_seed(7)
    cluster = Cluster()
    try:
        contender.serve(answers, {
            "64MB": lambda: exchange(cluster),
            "mlp": lambda: training(cluster, lambda: models.mlp(784, 1024), 256, (784,)),
            "cnn": lambda: training(cluster, models.cnn, 128, (28, 28, 1)),
        })
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
