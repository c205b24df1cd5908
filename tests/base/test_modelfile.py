"""Models as files: a written model can be read, and a damaged file gives one sentence."""

from __future__ import annotations

import contextlib
import io
import json
import random
import zipfile

import numpy as np
import pytest

from webgrain.base import modelfile
from webgrain.base.errors import InputError
from webgrain.base.modelfile import read_model, write_model


@pytest.mark.parametrize(
    "arrays", [None, {}, {"a": np.arange(6.0).reshape(2, 3), "b": np.zeros(0, np.int32)}]
)
def test_what_is_written_is_read(tmp_path, arrays):
    result = {"name": "café", "numbers": [1, 2.5], "inner": {"x": None}}
    write_model(tmp_path / "model", "example", 3, result, arrays)
    found, found_arrays = read_model(tmp_path / "model", "example", 3)
    assert found == result
    assert found_arrays.keys() == (arrays or {}).keys()
    for name, array in found_arrays.items():
        assert array.dtype == arrays[name].dtype
        np.testing.assert_array_equal(array, arrays[name])


def test_the_same_model_is_the_same_file(tmp_path):
    for name in "ab":
        write_model(tmp_path / name, "example", 1, {"x": 1}, {"b": np.ones(3), "a": np.zeros(2)})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_without_arrays_a_model_is_readable_text(tmp_path):
    write_model(tmp_path / "model", "example", 1, {"lam": 0.5})
    assert '"lam": 0.5' in (tmp_path / "model").read_text(encoding="utf-8")


def test_what_fits_into_a_line_has_one(tmp_path):
    result = {"long": [f"value {i}" for i in range(30)], "inner": [{"a": [], "b": {}}, [1, None, True]]}
    write_model(tmp_path / "model", "example", 1, result)
    lines = (tmp_path / "model").read_text(encoding="utf-8").splitlines()
    assert lines[3:6] == ['  "long": [', '    "value 0",', '    "value 1",']
    assert lines[-2:] == ['  "inner": [{"a": [], "b": {}}, [1, null, true]]', "}"]
    assert json.loads("\n".join(lines)) == {"format": "example", "version": 1} | result


def test_what_json_does_not_know_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_model(tmp_path / "model", "example", 1, {"x": [float("nan")]})


def test_every_truncation_gives_one_sentence(tmp_path):
    path = tmp_path / "model"
    write_model(path, "example", 1, {"x": list(range(9))}, {"a": np.arange(50)})
    whole = path.read_bytes()
    for end in range(0, len(whole), 7):
        path.write_bytes(whole[:end])
        with pytest.raises(InputError, match="model contains"):
            read_model(path, "example", 1)


def test_a_file_with_a_changed_byte_is_a_model_or_gives_one_sentence(tmp_path):
    path = tmp_path / "model"
    write_model(path, "example", 1, {"x": 1}, {"a": np.arange(5)})
    whole = path.read_bytes()
    for place in range(0, len(whole), 2):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with contextlib.suppress(InputError):
            assert read_model(path, "example", 1)[0] == {"x": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "contains no example: Expecting value"),
        (b"[]", "contains no example: it is not a JSON object"),
        (b"{}", 'expected "format": "example"'),
        (b'{"format": "other", "version": 1}', 'expected "format": "example"'),
        (b'{"format": "example", "version": 2}', "expected a example of version 1, got 2"),
        (b'{"format": "example"}', "version 1, got null"),
        (b"[" * 100_000, "contains no example"),
        (b"\xff\xfe{", "contains no example"),
        (b"PAR1\x15\x04\x15\xf0\x83", "contains no example: it is a binary file.$"),
    ],
)
def test_a_file_that_is_no_model_gives_one_sentence(tmp_path, content, message):
    (tmp_path / "model").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_model(tmp_path / "model", "example", 1)


def test_a_missing_file_gives_one_sentence(tmp_path):
    with pytest.raises(InputError, match="Cannot read a model from"):
        read_model(tmp_path / "none", "example", 1)


def test_pickled_objects_are_not_loaded(tmp_path):
    content = io.BytesIO()
    np.save(content, np.array([{}], object), allow_pickle=True)
    with zipfile.ZipFile(tmp_path / "model", "w") as archive:
        archive.writestr("model.json", '{"format": "example", "version": 1}')
        archive.writestr("a.npy", content.getvalue())
    with pytest.raises(InputError, match="contains no example"):
        read_model(tmp_path / "model", "example", 1)


def test_a_decompression_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(modelfile, "MAX_BYTES", 2**22)
    with (
        zipfile.ZipFile(tmp_path / "model", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("model.json", "w", force_zip64=True) as member,
    ):
        for _ in range(5):
            member.write(bytes(2**20))
    with pytest.raises(InputError, match="more than"):
        read_model(tmp_path / "model", "example", 1)


def test_an_array_shorter_than_declared_is_damaged(tmp_path):
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"descr": "<f8", "fortran_order": False, "shape": (2**40,)})
    with zipfile.ZipFile(tmp_path / "model", "w") as archive:
        archive.writestr("model.json", '{"format": "example", "version": 1}')
        archive.writestr("a.npy", content.getvalue())
    with pytest.raises(InputError, match="contains"):
        read_model(tmp_path / "model", "example", 1)


def reference_text(value, indent=0):
    """Return the text of a value, value by value."""
    if isinstance(value, dict):
        parts = [f"{json.dumps(name)}: {reference_text(part, indent + 2)}" for name, part in value.items()]
    elif isinstance(value, list | tuple):
        parts = [reference_text(part, indent + 2) for part in value]
    else:
        return json.dumps(value, ensure_ascii=False)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    line = f"{opening}{', '.join(parts)}{closing}"
    if not parts or ("\n" not in line and indent + len(line) <= 110):
        return line
    gap = "\n" + " " * (indent + 2)
    return f"{opening}{gap}{f',{gap}'.join(parts)}\n{' ' * indent}{closing}"


def made_up(rng, depth):
    """Return a value of lists and mappings."""
    form = rng.randrange(6) if depth else 0
    if form < 2:
        return rng.choice([1, 2.5, -1e-9, True, None, "a, b", "é\n", "x" * rng.randrange(150), [], {}, ()])
    if form < 4:
        return [made_up(rng, depth - 1) for _ in range(rng.randrange(9))]
    if form == 4:
        return tuple(rng.choices([1, 2.25, None, True], k=rng.randrange(80)))
    return {f"{rng.choice('abc') * 20}, {k}": made_up(rng, depth - 1) for k in range(rng.randrange(6))}


@pytest.mark.parametrize("seed", range(200))
def test_lines_are_those_of_the_reference(seed):
    value = made_up(random.Random(seed), 5)
    assert modelfile._text(value) == reference_text(value)


@pytest.mark.parametrize(
    "type_", ["<f4", "<f8", "<i4", "<i8", "<u4", "<u8", "<i2", ">f4", "<f2", "u1", "i1", "?"]
)
@pytest.mark.parametrize("shape", [(0,), (1,), (12345,), (2, 3)])
def test_usual_headers_are_read_as_numpy_reads_them(tmp_path, type_, shape):
    array = (np.arange(np.prod(shape)) % 100).reshape(shape).astype(type_)
    write_model(tmp_path / "model", "example", 1, {}, {"a": array})
    _, arrays = read_model(tmp_path / "model", "example", 1)
    with zipfile.ZipFile(tmp_path / "model") as archive:
        data = archive.read("a.npy")
    expected = np.load(io.BytesIO(data))
    assert (arrays["a"].dtype, arrays["a"].shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(arrays["a"], expected)


def test_the_header_of_most_arrays_needs_no_reader_of_numpy(monkeypatch):
    content = io.BytesIO()
    np.save(content, np.arange(5.0, dtype=np.float32))
    monkeypatch.setattr(modelfile, "_header", None)
    assert modelfile._array(content.getvalue()).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_a_header_with_a_wrong_size_is_no_usual_one():
    content = io.BytesIO()
    np.save(content, np.arange(5.0))
    data = bytearray(content.getvalue())
    data[8] -= 16
    assert modelfile._array(bytes(data)).tolist()[2:] == [0.0, 1.0, 2.0]  # as NumPy reads it
