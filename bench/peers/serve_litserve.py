"""LitServe with its batching: serve_litserve.py mlp|cnn PORT."""

import sys

import litserve
import torch

from serve_models import answer, network, row


class Network(litserve.LitAPI):
    def setup(self, device):
        self.model = network(sys.argv[1])

    def decode_request(self, request):
        return row(request)

    def batch(self, inputs):
        return torch.stack(inputs)

    def predict(self, batch):
        with torch.inference_mode():
            return self.model(batch)

    def unbatch(self, output):
        return output.tolist()

    def encode_response(self, output):
        return answer(output)


if __name__ == "__main__":
    api = Network(max_batch_size=64, batch_timeout=0.002)
    server = litserve.LitServer(api, accelerator="cpu", workers_per_device=1)
    server.run(host="127.0.0.1", port=int(sys.argv[2]), generate_client_file=False, log_level="warning")
