"""Precision of key paths against paths of wrappers."""

from __future__ import annotations

import math

from experiments.keyclus_paths import wrapper_precision

from webgrain.page.paths import Path, Step, path_matches
from webgrain.site.typelearning import match_key_paths


def path(text):
    steps = []
    for step in text.split():
        tag, *classes = step.split(".")
        tag, _, own = tag.partition("#")
        steps.append(Step(tag, own, tuple(classes)))
    return Path(tuple(steps))


def test_a_match_shares_nine_tenths_of_the_wrapper_s_path():
    long = "html body div div div div div div div div"  # 10 steps
    assert path_matches(path(long), path(long + " h1")) is True  # 10 of 11
    assert path_matches(path("html body div h1"), path("html body div h2")) is False
    assert path_matches(path("html body div h1 b"), path("html body div h1")) is True


def test_ids_and_classes_must_not_differ():
    assert not path_matches(path("html body#a h1"), path("html body#b h1"))
    assert path_matches(path("html body.x h1"), path("html body.x.y h1"))
    assert path_matches(path("html body h1"), path("html body.y h1"))


def test_precision_over_paths():
    assert wrapper_precision([path("html h1"), path("html p")], [path("html h1")]) == 0.5
    assert math.isnan(wrapper_precision([], []))


def test_each_old_path_is_given_once():
    new = [path("html body h1"), path("html body h1.b"), None]
    assert match_key_paths(new, [path("html body h1.b"), path("html body h1")]) == [1, 0, None]
    assert match_key_paths(new[:1], []) == [None]
