from __future__ import annotations

import json

import pytest

from webgrain.errors import InputError
from webgrain.segment.costs import HAND, WEIGHTS
from webgrain.segment.models import MAX_BYTES, read_weights, write_weights


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_what_is_written_is_read(tmp_path, weights):
    write_weights(tmp_path / "w.json", weights)
    assert read_weights(tmp_path / "w.json") == weights


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "expected .format."),
        ({"version": 0}, "version 1, got 0"),
        ({"node": {"colour": 1.0}}, "names of features, got colour"),
        ({"node": {"y": -1.0}}, "at least 0"),
        ({"node": {"y": "1"}}, "a number for y"),
        ({"node": {"y": float("nan")}}, "finite"),
        ({"node": {"y": 10**400}}, "damaged"),
        ({"node": [1.0]}, "damaged"),
        ({"adjacent": {"weights": {}}}, "lack 'bias'"),
        ({"adjacent": {"weights": {}, "bias": None}}, "a number for bias"),
        ({"pairs": None}, "damaged"),
    ],
)
def test_other_files_are_refused_in_one_sentence(tmp_path, change, message):
    path = tmp_path / "w.json"
    write_weights(path, HAND)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=message):
        read_weights(path)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[]", b"1", b"[" * 100_000, b" " * (MAX_BYTES + 1)]
)
def test_what_is_no_json_object_is_refused(tmp_path, content):
    (tmp_path / "w.json").write_bytes(content)
    with pytest.raises(InputError, match="holds no weights"):
        read_weights(tmp_path / "w.json")


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match="Cannot read weights"):
        read_weights(tmp_path / "none.json")


def test_an_infinite_bias_is_refused(tmp_path):
    write_weights(tmp_path / "w.json", HAND)
    text = (tmp_path / "w.json").read_text().replace('"bias": 9.0', '"bias": Infinity')
    (tmp_path / "w.json").write_text(text)
    with pytest.raises(InputError, match="damaged"):
        read_weights(tmp_path / "w.json")
