"""MLServer with its adaptive batching: serve_mlserver.py mlp|cnn PORT."""

import json
import os
import sys
import tempfile

import numpy as np
import torch
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceRequest, InferenceResponse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from serve_models import network  # noqa: E402


class Network(MLModel):
    async def load(self):
        self.model = network(self.settings.name)
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        rows = NumpyCodec.decode_input(payload.inputs[0]).astype(np.float32)
        with torch.inference_mode():
            outputs = self.model(torch.from_numpy(rows)).numpy()
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("output", outputs)])


if __name__ == "__main__":
    name, port = sys.argv[1], int(sys.argv[2])
    folder = tempfile.mkdtemp()
    os.mkdir(os.path.join(folder, "metrics"))
    with open(os.path.join(folder, "settings.json"), "w") as out:
        json.dump({"host": "127.0.0.1", "http_port": port, "grpc_port": port + 1, "metrics_port": port + 2,
                   "debug": False, "parallel_workers": 1, "metrics_dir": os.path.join(folder, "metrics")}, out)
    with open(os.path.join(folder, "model-settings.json"), "w") as out:
        json.dump({"name": name, "implementation": "serve_mlserver.Network", "max_batch_size": 64, "max_batch_time": 0.002}, out)
    environment = {**os.environ, "PYTHONPATH": HERE}
    mlserver = os.path.join(os.path.dirname(sys.executable), "mlserver")
    os.execve(mlserver, [mlserver, "start", folder], environment)
