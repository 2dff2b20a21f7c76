"""Asks a Tutti server by tensorflow-serving-api over gRPC, and checks the answers. Argument: host:port."""
import sys

import grpc
import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import (
    classification_pb2,
    get_model_metadata_pb2,
    get_model_status_pb2,
    model_service_pb2_grpc,
    predict_pb2,
    prediction_service_pb2_grpc,
    regression_pb2,
)

channel = grpc.insecure_channel(sys.argv[1])
predictions = prediction_service_pb2_grpc.PredictionServiceStub(channel)
rows = np.array([[1, 2, 3, 4], [0.5, 0, 0, 0]], dtype=np.float32)
expected = np.array([[10, 20, 2], [0.5, 1, 2]], dtype=np.float32)


def predict(values, version=None, dtype=None):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "m"
    request.model_spec.signature_name = "serving_default"
    if version:
        request.model_spec.version.value = version
    request.inputs["input"].CopyFrom(tf.make_tensor_proto(values, dtype=dtype))
    return predictions.Predict(request, 30)


answer = predict(rows)
assert answer.model_spec.version.value == 2 and answer.model_spec.name == "m", answer.model_spec
assert np.array_equal(tf.make_ndarray(answer.outputs["output"]), expected)
assert (tf.make_ndarray(predict(rows, version=1).outputs["output"])[:, 2] == 1).all()
for dtype in (tf.float64, tf.float16, tf.int64, tf.int32):
    whole = predict([[1, 2, 3, 4]], dtype=dtype)
    assert np.array_equal(tf.make_ndarray(whole.outputs["output"]), expected[:1]), dtype

request = predict_pb2.PredictRequest()
request.model_spec.name = "m"
listed = request.inputs["input"]  # numbers one by one; the last of them fills up the rest
listed.dtype = tf.float32.as_datatype_enum
listed.tensor_shape.CopyFrom(tf.TensorShape([2, 4]).as_proto())
listed.float_val.extend([1, 2, 3, 4, 0.5])
filled = tf.make_ndarray(predictions.Predict(request, 30).outputs["output"])
assert np.array_equal(filled, [[10, 20, 2], [2, 4, 2]]), filled

try:
    predict(np.zeros((1, 3), np.float32))
    raise AssertionError("a wrong shape was accepted")
except grpc.RpcError as e:
    assert e.code() == grpc.StatusCode.INVALID_ARGUMENT and "[4]" in e.details(), e
try:
    predict(rows, version=9)
    raise AssertionError("a missing version answered")
except grpc.RpcError as e:
    assert e.code() == grpc.StatusCode.NOT_FOUND, e

request = get_model_metadata_pb2.GetModelMetadataRequest(metadata_field=["signature_def"])
request.model_spec.name = "m"
metadata = predictions.GetModelMetadata(request, 30).metadata["signature_def"]
signatures = get_model_metadata_pb2.SignatureDefMap()
assert metadata.Unpack(signatures)
signature = signatures.signature_def["serving_default"]
assert signature.inputs["input"].dtype == tf.float32.as_datatype_enum
assert [dim.size for dim in signature.inputs["input"].tensor_shape.dim] == [-1, 4]

request = get_model_status_pb2.GetModelStatusRequest()
request.model_spec.name = "m"
status = model_service_pb2_grpc.ModelServiceStub(channel).GetModelStatus(request, 30)
assert sorted(one.version for one in status.model_version_status) == [1, 2]
assert all(one.state == get_model_status_pb2.ModelVersionStatus.AVAILABLE for one in status.model_version_status)

example = tf.train.Example()
example.features.feature["input"].float_list.value.extend([1, 2, 3, 4])
request = classification_pb2.ClassificationRequest()
request.model_spec.name = "m"
request.input.example_list.examples.append(example)
classes = predictions.Classify(request, 30).result.classifications[0].classes
assert [one.label for one in classes] == ["low", "high", "mark"]
assert abs(sum(one.score for one in classes) - 1) < 1e-5 and classes[1].score > 0.99
request = regression_pb2.RegressionRequest()
request.model_spec.name = "m"
request.input.example_list.examples.append(example)
try:
    predictions.Regress(request, 30)
    raise AssertionError("three numbers were taken for one")
except grpc.RpcError as e:
    assert e.code() == grpc.StatusCode.INVALID_ARGUMENT, e
print("all is well")
