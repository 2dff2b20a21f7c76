"""Ray Serve with its batching: serve_ray.py mlp|cnn PORT."""

import signal
import sys

import ray
import torch
from ray import serve
from starlette.requests import Request

from serve_models import answer, network, row


@serve.deployment(max_ongoing_requests=200)
class Network:
    def __init__(self, name):
        self.model = network(name)

    @serve.batch(max_batch_size=64, batch_wait_timeout_s=0.002)
    async def compute(self, rows):
        with torch.inference_mode():
            return self.model(torch.stack(rows)).tolist()

    async def __call__(self, request: Request):
        return answer(await self.compute(row(await request.json())))


if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    serve.start(http_options={"host": "127.0.0.1", "port": int(sys.argv[2])})
    serve.run(Network.bind(sys.argv[1]))
    signal.sigwait([signal.SIGTERM, signal.SIGINT])
    ray.shutdown()
