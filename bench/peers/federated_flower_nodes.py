"""Federated averaging of the 2NN on MNIST in Flower's deployment: a SuperLink and SuperNodes, all processes of their own.

Flower 1.41 speaks HTTP here, where earlier versions spoke gRPC.

Each node has the rows of one of 100 clients, and every round asks all nodes. Prints one JSON object. Rounds are timed from the end of the
first one on.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SETTINGS = "TUTTI_FLOWER_BENCH"
PROJECT = """[project]
name = "bench"
version = "1.0.0"
license = "Apache-2.0"
dependencies = []

[tool.flwr.app]
publisher = "tutti"

[tool.flwr.app.components]
serverapp = "bench.app:server_app"
clientapp = "bench.app:client_app"

[tool.flwr.app.config]
"""
APP = """import sys

sys.path.insert(0, {peers!r})
from federated_flower_nodes import parts

both = parts()
client_app = both[0]
server_app = both[1]
"""
LINK = """[superlink]
default = "bench"

[superlink.bench]
address = "127.0.0.1:{port}"
insecure = true
"""


def parts():
    """The app's two parts, in the processes that Flower starts: the settings come with the environment."""
    import federated_flower
    settings = json.loads(os.environ[SETTINGS])

    def finish(ends, arrays):
        answer = {"rounds_per_second": (len(ends) - 1) / (ends[-1] - ends[0]),
                  "accuracy": federated_flower.test_accuracy(settings["folder"], arrays)}
        Path(settings["answer"] + ".part").write_text(json.dumps(answer))
        os.replace(settings["answer"] + ".part", settings["answer"])

    return federated_flower.apps(settings["folder"], 100, settings["nodes"], 1.0, settings["rounds"], finish)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--datasets", default="datasets/mnist")
    parser.add_argument("--limit", type=float, default=240, help="seconds after which it gives up")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("interrupted"))  # so that the nodes end too
    binaries = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        app = home / "app" / "bench"
        app.mkdir(parents=True)
        (app / "__init__.py").write_text("")
        (app / "app.py").write_text(APP.format(peers=str(Path(__file__).parent.absolute())))
        (home / "app" / "pyproject.toml").write_text(PROJECT)
        link, *own = free_ports(1 + options.nodes)
        (home / "config.toml").write_text(LINK.format(port=link))
        answer = home / "answer.json"
        settings = {"folder": str(Path(options.datasets).absolute()), "answer": str(answer), "nodes": options.nodes,
                    "rounds": options.rounds}
        environment = dict(os.environ, FLWR_HOME=str(home), FLWR_TELEMETRY_ENABLED="0", **{SETTINGS: json.dumps(settings)})
        environment["PATH"] = f"{binaries}:{environment.get('PATH', '')}"
        started = []

        def start(*words):
            started.append(subprocess.Popen([str(binaries / words[0]), *words[1:]], env=environment, stdout=sys.stderr,
                                            start_new_session=True))

        try:
            start("flower-superlink", "--insecure", "--disable-runtime-dependency-installation", "--port", str(link))
            for node in range(options.nodes):
                start("flower-supernode", "--insecure", "--superlink", f"127.0.0.1:{link}", "--port", str(own[node]),
                      "--node-config", f"partition-id={node}")
            end = time.monotonic() + options.limit
            while subprocess.run([str(binaries / "flwr"), "run", str(home / "app"), "bench"], env=environment,
                                 stdout=sys.stderr).returncode:
                if time.monotonic() > end:
                    sys.exit("Flower's SuperLink took no app")
                time.sleep(1)
            while not answer.exists():
                if time.monotonic() > end:
                    sys.exit(f"Flower's nodes did not end in {options.limit} s")
                time.sleep(0.1)
            print(answer.read_text(), flush=True)
        finally:
            for process in started:
                os.killpg(process.pid, signal.SIGTERM)
            for process in started:
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
