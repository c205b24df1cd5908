"""The contract that every registered method keeps, whatever it does."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from webgrain.base.errors import ParameterError
from webgrain.base.estimator import FAMILIES, METHODS, Estimator, create, family, load

ROOT = Path(__file__).parents[1]


@pytest.fixture(params=METHODS)
def name(request):
    return request.param


def test_a_method_is_an_estimator_with_keyword_parameters(name):
    method = load(name)
    assert issubclass(method, Estimator)
    kinds = {parameter.kind for parameter in inspect.signature(method).parameters.values()}
    assert kinds <= {inspect.Parameter.KEYWORD_ONLY}
    with pytest.raises(TypeError):
        method(0.5)


def test_parameters_are_stored_as_given(name):
    for parameter, value in create(name).get_params().items():
        assert load(name)(**{parameter: value}).get_params() == create(name).get_params()


def test_a_method_shows_the_parameters_that_were_changed(name):
    assert repr(create(name)) == f"{load(name).__name__}()"
    assert repr(create("gcuts", lam=0.7)) == "GCuts(lam=0.7)"


def test_other_parameters_give_one_sentence(name):
    with pytest.raises(ParameterError, match=f"{name} has no parameter speed"):
        create(name, speed=1)


def test_the_name_repeats(name):
    """A method has its tests and a page of the manual, under the name of its file or its own."""
    folder, module = METHODS[name].partition(":")[0].split(".")[1:]
    assert (ROOT / "tests" / folder / f"test_{module}.py").exists()
    assert any((ROOT / "docs" / "methods" / f"{page}.md").exists() for page in (name, module))


def test_every_method_is_of_one_family():
    assert sorted(name for task in FAMILIES for name in family(task)) == sorted(METHODS)


def test_other_names_are_refused():
    with pytest.raises(ParameterError, match=r"one of gcuts, cclus.*, got 'vips'"):
        load("vips")
