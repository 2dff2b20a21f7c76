"""Asks a Tutti server by tensorflow-serving-api over gRPC, and checks the answers. Argument: host:port.

The package asks for all of TensorFlow, of which it needs the messages alone. They come from tensorflow-protobuf, a package of less than
a megabyte, but for one file that it lacks: the codes of errors.
"""
import sys
import types

import grpc
import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool

codes = descriptor_pb2.FileDescriptorProto(
    name="tensorflow/core/protobuf/error_codes.proto", package="tensorflow.error", syntax="proto3")
code = codes.enum_type.add(name="Code")
for number, word in enumerate((
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE",
        "DATA_LOSS", "UNAUTHENTICATED")):
    code.value.add(name=word, number=number)
descriptor_pool.Default().AddSerializedFile(codes.SerializeToString())
module = types.ModuleType("tensorflow.core.protobuf.error_codes_pb2")
module.xla_dot_tsl_dot_protobuf_dot_error__codes__pb2 = module
sys.modules[module.__name__] = module

from tensorflow.core.example import example_pb2
from tensorflow.core.framework import types_pb2
from tensorflow_serving.apis import (
    classification_pb2,
    get_model_metadata_pb2,
    get_model_status_pb2,
    model_service_pb2_grpc,
    predict_pb2,
    prediction_service_pb2_grpc,
    regression_pb2,
)

assert "PredictStreamedOptions" in predict_pb2.DESCRIPTOR.message_types_by_name, "the messages are not those of tensorflow-serving-api"
DTYPES = {np.float32: types_pb2.DT_FLOAT, np.float64: types_pb2.DT_DOUBLE, np.float16: types_pb2.DT_HALF,
          np.int64: types_pb2.DT_INT64, np.int32: types_pb2.DT_INT32}

channel = grpc.insecure_channel(sys.argv[1])
predictions = prediction_service_pb2_grpc.PredictionServiceStub(channel)
rows = np.array([[1, 2, 3, 4], [0.5, 0, 0, 0]], dtype=np.float32)
expected = np.array([[10, 20, 2], [0.5, 1, 2]], dtype=np.float32)


def request_for(shape, dtype, version=None):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "m"
    request.model_spec.signature_name = "serving_default"
    if version:
        request.model_spec.version.value = version
    tensor = request.inputs["input"]
    tensor.dtype = DTYPES[dtype]
    for length in shape:
        tensor.tensor_shape.dim.add(size=length)
    return request, tensor


def values(response):
    tensor = response.outputs["output"]
    assert tensor.dtype == types_pb2.DT_FLOAT, tensor.dtype
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, np.float32).reshape(shape)
    return np.array(tensor.float_val, np.float32).reshape(shape)


def predict(given, version=None):
    request, tensor = request_for(given.shape, given.dtype.type, version)
    tensor.tensor_content = given.tobytes()
    return predictions.Predict(request, 30)


answer = predict(rows)
assert answer.model_spec.version.value == 2 and answer.model_spec.name == "m", answer.model_spec
assert np.array_equal(values(answer), expected)
assert (values(predict(rows, version=1))[:, 2] == 1).all()
for dtype in (np.float64, np.float16, np.int64, np.int32):
    whole = predict(np.array([[1, 2, 3, 4]], dtype))
    assert np.array_equal(values(whole), expected[:1]), dtype

request, listed = request_for([2, 4], np.float32)  # numbers one by one; the last of them fills up the rest
listed.float_val.extend([1, 2, 3, 4, 0.5])
filled = values(predictions.Predict(request, 30))
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
assert signature.inputs["input"].dtype == types_pb2.DT_FLOAT
assert [dim.size for dim in signature.inputs["input"].tensor_shape.dim] == [-1, 4]

request = get_model_status_pb2.GetModelStatusRequest()
request.model_spec.name = "m"
status = model_service_pb2_grpc.ModelServiceStub(channel).GetModelStatus(request, 30)
assert sorted(one.version for one in status.model_version_status) == [1, 2]
assert all(one.state == get_model_status_pb2.ModelVersionStatus.AVAILABLE for one in status.model_version_status)

example = example_pb2.Example()
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
