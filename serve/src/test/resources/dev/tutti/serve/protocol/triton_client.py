"""Asks a Tutti server by NVIDIA's tritonclient over HTTP and gRPC, and checks the answers. Argument: host:port."""
import sys

import numpy as np
import tritonclient.grpc
import tritonclient.http

address = sys.argv[1]
rows = np.array([[1, 2, 3, 4], [0.5, 0, 0, 0]], dtype=np.float32)
expected = np.array([[10, 20, 2], [0.5, 1, 2]], dtype=np.float32)

for client_module in (tritonclient.http, tritonclient.grpc):
    client = client_module.InferenceServerClient(address)
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("m")
    assert not client.is_model_ready("nothing")
    client.get_server_metadata()
    client.get_model_metadata("m")
    given = client_module.InferInput("input", rows.shape, "FP32")
    given.set_data_from_numpy(rows)
    wanted = client_module.InferRequestedOutput("output")
    for model_version, mark in (("", 2), ("1", 1)):
        answer = client.infer("m", [given], model_version=model_version, outputs=[wanted], request_id="7")
        values = answer.as_numpy("output")
        assert values.dtype == np.float32 and np.array_equal(values[:, :2], expected[:, :2]), values
        assert (values[:, 2] == mark).all(), values
    half = client_module.InferInput("input", rows.shape, "FP16")
    half.set_data_from_numpy(rows.astype(np.float16))
    assert np.array_equal(client.infer("m", [half]).as_numpy("output"), expected)
    wrong = client_module.InferInput("input", [1, 3], "FP32")
    wrong.set_data_from_numpy(np.zeros((1, 3), np.float32))
    try:
        client.infer("m", [wrong])
        raise AssertionError("a wrong shape was accepted")
    except tritonclient.utils.InferenceServerException as e:
        assert "the model expects [4]" in str(e), e

http = tritonclient.http.InferenceServerClient(address)
given = tritonclient.http.InferInput("input", rows.shape, "FP32")
given.set_data_from_numpy(rows, binary_data=False)
answer = http.infer("m", [given], outputs=[tritonclient.http.InferRequestedOutput("output", binary_data=False)])
assert np.array_equal(answer.as_numpy("output"), expected)
answer = http.infer("m", [given], request_compression_algorithm="gzip")
assert np.array_equal(answer.as_numpy("output"), expected)
print("all is well")
