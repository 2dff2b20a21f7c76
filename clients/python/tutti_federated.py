"""A client of Tutti's federated learning: plain NumPy in and out, nothing else but the standard library.

    from tutti_federated import FederatedClient

    def train(parameters, job, work):        # parameters: name -> float32 array; change copies of them
        ...                                  # work["rateFactor"] scales the learning rate of this round
        return trained, {"samples": 600, "loss": 0.3, "steps": 60}

    FederatedClient("http://127.0.0.1:8090", name="torch").run(train)

Rows never leave this process; the difference between the trained and the given parameters does. The protocol is described in
docs/strategies/federated.md. Not supported here: secure aggregation (such jobs are declined) and SCAFFOLD.
"""
import http.client
import json
import math
import os
import ssl
import struct
import time
import urllib.error
import urllib.request

import numpy as np

__all__ = ["FederatedClient", "Declined", "read_safetensors", "write_safetensors"]

_TYPES = {"F32": np.float32, "F64": np.float64, "I64": np.int64, "I32": np.int32, "U8": np.uint8, "BOOL": np.bool_}
_NAMES = {np.dtype(value): key for key, value in _TYPES.items()}
_PIECE = 4 << 20


class Declined(Exception):
    """The job is none that this client agrees to."""


def write_safetensors(arrays, notes):
    """Named arrays and notes as the bytes of a safetensors file."""
    header, blobs, offset = {"__metadata__": {key: str(value) for key, value in notes.items()}}, [], 0
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)
        blob = array.tobytes()
        header[name] = {"dtype": _NAMES[array.dtype], "shape": list(array.shape),
                        "data_offsets": [offset, offset + len(blob)]}
        offset += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + b"".join(blobs)


def read_safetensors(data):
    """The arrays and notes of a safetensors file."""
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    notes = header.pop("__metadata__", {})
    arrays = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        arrays[name] = np.frombuffer(data[8 + length + begin:8 + length + end],
                                     dtype=_TYPES[entry["dtype"]]).reshape(entry["shape"])
    return arrays, notes


class FederatedClient:
    """Takes part in one federated job. Every call goes outward; one that fails is tried again until `patience` seconds are over."""

    def __init__(self, server, name="python", token=None, labels=None, resources=None, max_epochs=20, jobs=None,
                 patience=600, certificate=None, key=None, trust=None):
        self.server = server.rstrip("/")
        self.name, self.token = name, token
        self.labels, self.resources = labels or {}, resources or {"cores": float(os.cpu_count() or 1)}
        self.max_epochs, self.jobs, self.patience = max_epochs, jobs, patience
        self.identity = self._bearer = None
        self._unsent = None
        self._tls = None
        if self.server.startswith("https"):
            self._tls = ssl.create_default_context(cafile=trust)
            if certificate:
                self._tls.load_cert_chain(certificate, key)

    # ---- calls

    def _call(self, method, path, body=None, headers=None):
        give_up, pause = time.monotonic() + self.patience, 0.2
        while True:
            request = urllib.request.Request(self.server + path, data=body, method=method, headers=headers or {})
            if self._bearer:
                request.add_header("Authorization", "Bearer " + self._bearer)
            try:
                with urllib.request.urlopen(request, timeout=60, context=self._tls) as answer:
                    return answer.status, answer.read()
            except urllib.error.HTTPError as error:
                if error.code not in (429, 503):
                    return error.code, error.read()
                problem = error
            except (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError) as error:
                problem = error
            if time.monotonic() > give_up:
                raise ConnectionError(f"the server {self.server} was not reached for {self.patience} s: {problem}")
            time.sleep(pause)
            pause = min(5.0, 2 * pause)

    def _json(self, method, path, value=None):
        body = None if value is None else json.dumps(value).encode()
        status, answer = self._call(method, path, body, {"Content-Type": "application/json"} if body else None)
        if status // 100 != 2:
            raise RuntimeError(f"{method} {path} was refused with status {status}: {answer.decode(errors='replace')}")
        return json.loads(answer or b"{}")

    # ---- the run

    def run(self, train, evaluate=None):
        """Takes part until all rounds are done; gives the number of accepted updates."""
        reply = self._json("POST", "/v1/enrol", {"token": self.token, "name": self.name, "labels": self.labels,
                                                 "resources": self.resources})
        self.identity, self._bearer = reply["client"], reply["key"]
        notice = self._json("GET", "/v1/job")
        job, self._order = notice["job"], notice["parameters"]
        self._check(job)
        accepted = 0
        while True:
            work = self._json("GET", "/v1/work?wait=20")
            if work["kind"] == "finished":
                return accepted
            if work["kind"] == "train":
                accepted += self._train(train, job, work)
            elif work["kind"] == "evaluate":
                self._decline(work["round"], "this client does not evaluate")

    def _check(self, job):
        problem = None
        if self.jobs and job["name"] not in self.jobs:
            problem = f"job {job['name']} is none of {self.jobs}"
        elif job.get("epochs", 1) > self.max_epochs:
            problem = f"{job['epochs']} epochs in a round are more than {self.max_epochs}"
        elif "secure" in job or job.get("aggregation", {}).get("type") == "scaffold":
            problem = "secure aggregation and SCAFFOLD need the Java client"
        if problem:
            self._decline(0, problem)
            raise Declined(problem)

    def _decline(self, round_number, reason):
        self._call("POST", f"/v1/rounds/{round_number}/decline", reason.encode())

    def _model(self, round_number):
        data = b""
        while True:
            status, piece = self._call("GET", f"/v1/rounds/{round_number}/model", None, {"Range": f"bytes={len(data)}-{len(data) + _PIECE - 1}"})
            if status == 409:
                return None  # the round is over
            data += piece
            (length,) = struct.unpack_from("<Q", data)
            header = json.loads(data[8:8 + length])
            header.pop("__metadata__", None)
            if len(data) >= 8 + length + max(entry["data_offsets"][1] for entry in header.values()):
                return read_safetensors(data)[0]

    def _train(self, train, job, work):
        given = self._model(work["round"])
        if given is None:
            return 0
        given = {array["name"]: given[array["name"]] for array in self._order}
        trained, numbers = train({name: array.copy() for name, array in given.items()}, job, work)
        delta = {name: np.asarray(trained[name], np.float32) - given[name] for name in given}
        if work.get("clip") is not None:
            delta = self._guard(delta, work)
        notes = {"round": work["round"], "samples": int(numbers["samples"]), "steps": int(numbers.get("steps", 1))}
        notes.update({key: float(numbers[key]) for key in ("loss", "lossBefore") if key in numbers})
        data = write_safetensors(self._encode(delta, job.get("encoding", "float32")), notes)
        return 1 if self._upload(work["round"], data) == 200 else 0

    @staticmethod
    def _guard(delta, work):
        length = math.sqrt(sum(float((array.astype(np.float64) ** 2).sum()) for array in delta.values()))
        factor = min(1.0, work["clip"] / length) if length > 0 else 1.0
        noise = np.random.default_rng()  # seeded by the system
        return {name: (factor * array + (noise.normal(0, work["noise"], array.shape) if work.get("noise") else 0))
                .astype(np.float32) for name, array in delta.items()}

    def _encode(self, delta, encoding):
        if encoding == "float32":
            return delta
        owed = np.concatenate([delta[array["name"]].ravel() for array in self._order])
        if self._unsent is not None:
            owed = owed + self._unsent
        if encoding == "bfloat16":
            bits = owed.astype("<f4").view(np.uint32)
            top = ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype("<u2")
            arrays, sent = {"bfloat16": top.view(np.uint8)}, (top.astype(np.uint32) << 16).view(np.float32)
        elif encoding == "topK":
            count = max(1, owed.size // 100)
            places = np.sort(np.argpartition(-np.abs(owed), count - 1)[:count]).astype(np.int32)
            arrays, sent = {"places": places, "values": owed[places].astype(np.float32)}, np.zeros_like(owed)
            sent[places] = owed[places]
        elif encoding == "int8":
            padded = np.zeros(-(-owed.size // 256) * 256, np.float32)
            padded[:owed.size] = owed
            blocks = padded.reshape(-1, 256)
            scales = (np.abs(blocks).max(1) / 127).astype(np.float32)
            safe = np.where(scales > 0, scales, 1)[:, None]
            whole = np.clip(np.floor(blocks / safe + np.random.default_rng().random(blocks.shape)), -127, 127)
            arrays = {"int8": whole.astype(np.int8).ravel()[:owed.size].view(np.uint8), "scales": scales}
            sent = (whole * scales[:, None]).ravel()[:owed.size].astype(np.float32)
        else:
            raise Declined(f"the encoding {encoding} is not known here")
        self._unsent = owed - sent
        return arrays

    def _upload(self, round_number, data):
        path, begin = f"/v1/rounds/{round_number}/update", 0
        while True:
            piece = data[begin:begin + _PIECE]
            status, answer = self._call("PUT", path, piece, {
                "Content-Type": "application/octet-stream", "upload-offset": str(begin), "upload-length": str(len(data))})
            if status == 202:
                begin += len(piece)
            elif status == 409 and begin > 0 and b"piece begins" in answer:
                begin = self._json("GET", path)["offset"]
            else:
                return status
