"""The contract that every method which cuts a page keeps."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, read

from webgrain.errors import ParameterError
from webgrain.estimator import create, family, load
from webgrain.page.page import Limits, Source
from webgrain.page.parsing import parse

HOSTILE = {
    "empty": "",
    "one node": "x",
    "nothing visible": "<div hidden>x</div><script>y</script>",
    "10 000 deep": "<div>" * 10_000 + "x",
    "siblings": "<p>x" * 2000,
    "deep and wide": "<div>y" * 200 + "<p>x" * 200,
    "nul": "a\0b<p>\0c",
}


@pytest.fixture(params=family("segmentation"))
def name(request):
    return request.param


def test_parameters_are_stored_unchanged(name):
    method = load(name)
    for parameter, default in method().get_params().items():
        if isinstance(default, bool):
            value = not default
        elif isinstance(default, float):
            value = default + 0.25
        elif isinstance(default, int):
            value = default + 1
        else:
            value = default
        assert method(**{parameter: value}).get_params() == {**method().get_params(), parameter: value}
        assert getattr(method(**{parameter: value}), parameter) is value


def test_predict_leaves_parameters_and_pages_as_they_are(name):
    method, page = create(name), read(BLOG, "estimate")
    params, text = method.get_params(), page.dom.text
    method.predict(page)
    assert method.get_params() == params
    assert page.dom.text == text


def test_parameters_are_plain_values_in_the_record(name):
    result = create(name).predict(read(BLOG))
    assert result.method == name
    assert json.loads(json.dumps(dict(result.params))) == dict(result.params)
    assert set(result.params) == set(create(name).get_params())


@pytest.mark.parametrize("layout", ["none", "estimate"])
def test_the_same_seed_gives_the_same_result(name, layout):
    page = read(BLOG * 3, layout)
    seed = {"random_state": 7} if "random_state" in load(name)().get_params() else {}
    first, again = (create(name, **seed).predict(page) for _ in range(2))
    assert first.labels.tolist() == again.labels.tolist()
    assert first.energy == again.energy


@pytest.mark.parametrize("layout", ["none", "estimate"])
@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
def test_no_page_is_too_odd(name, html, layout):
    page = read(html, layout)
    result = create(name).predict(page)
    assert result.labels.shape == (len(page.dom),)
    assert result.labels.dtype == np.int32
    assert np.isfinite(result.energy)


def test_depth_is_no_limit(name):
    page = parse(Source("deep", ("<div>" * 10_000 + "x").encode()), Limits(depth=20_000))
    assert len(create(name).predict(page)) == 1


def test_wrong_parameters_are_refused_in_one_sentence(name):
    for wrong in (
        {"lam": -1.0},
        {"lam": float("nan")},
        {"lam": "0.5"},
        {"lam": True},
        {"weights": "best"},
        {"weights": 3},
        {"random_state": -1},
        {"random_state": 0.5},
        {"speed": 1},
    ):
        with pytest.raises(ParameterError) as error:
            create(name, **wrong)
        assert next(iter(wrong)) in str(error.value)
        assert "\n" not in str(error.value)
