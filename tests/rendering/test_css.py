from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgrain.rendering.declarations import (
    _READERS,
    MAX_STYLE,
    declarations,
    legacy_color,
    parse_color,
    parse_length,
    parse_sum,
)
from webgrain.rendering.kernels import cascade as k


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red", 0xFF0000FF), ("#0f0", 0xFF00FF00), ("#0000ff80", 0x80FF0000), ("RGB(1, 2, 3)", 0xFF030201),
        ("rgba(255,255,255,0)", 0x00FFFFFF), ("rgb(100% 0% 0% / 50%)", 0x7F0000FF), ("transparent", 0),
        ("hsl(120, 100%, 50%)", 0xFF00FF00), ("rgb(999, -5, 0)", 0xFF0000FF),
        ("", None), ("#12", None), ("#ggg", None), ("rgb(1)", None), ("url(red)", None), ("nocolor", None),
    ],
)  # fmt: skip
def test_colors(text, expected):
    assert parse_color(text) == expected


def test_old_attributes_may_leave_out_the_hash():
    assert legacy_color("00ff00") == legacy_color("#00ff00") == parse_color("lime")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10px", (k.PLAIN, 10)), ("-.5em", (k.EM, -0.5)), ("3", (k.PLAIN, 3)), ("1in", (k.PLAIN, 96)),
        ("2rem", (k.REM, 2)), ("5vw", (k.VIEW_WIDTH, 5)), ("1e3px", (k.PLAIN, 1000)),
        ("50%", None), ("px", None), ("10 px", None), ("calc(1px)", None), ("9" * 400 + "px", (k.PLAIN, 1e6)),
    ],
)  # fmt: skip
def test_lengths(text, expected):
    assert parse_length(text) == expected


def read(text):
    return {column: (unit, value) for column, unit, value, _ in declarations(text)}


def test_shorthands_go_clockwise():
    sides = (k.MARGIN_TOP, k.MARGIN_RIGHT, k.MARGIN_BOTTOM, k.MARGIN_LEFT)
    for text, expected in [("1", "1111"), ("1 2", "1212"), ("1 2 3", "1232"), ("1 2 3 4", "1234")]:
        found = read(f"margin: {text}")
        assert [found[side] for side in sides] == [(k.PLAIN, int(number)) for number in expected]


def test_a_font_sets_size_weight_style_and_family():
    found = read("font: italic bold 12px/1.5 'Open Sans', serif")
    assert found[k.FONT_SIZE] == (k.PLAIN, 12)
    assert found[k.FONT_WEIGHT] == (k.PLAIN, 700)
    assert found[k.ITALIC] == (k.PLAIN, 1)
    assert found[k.LINE_HEIGHT] == (k.PLAIN, 1.5)
    assert found[k.FONT] == (k.PLAIN, "Open Sans")


def test_a_background_sets_color_and_image():
    assert read("background: url(a.png) no-repeat #fff") == {
        k.BACKGROUND: (k.PLAIN, 0xFFFFFFFF), k.IMAGE: (k.PLAIN, True),
    }  # fmt: skip
    assert read("background: none") == {k.BACKGROUND: (k.PLAIN, 0), k.IMAGE: (k.PLAIN, False)}


def test_widths_are_lengths_or_shares():
    assert read("width: 30%")[k.WIDTH_SHARE] == (k.PLAIN, 0.3)
    assert read("width: 30px")[k.WIDTH] == (k.PLAIN, 30)


def test_what_is_not_understood_is_left_out():
    assert declarations("color: nocolor; display: strange; x; :; margin: a b; width: calc(1px *)") == ()


def test_important_declarations_are_marked():
    assert [d[3] for d in declarations("float: left ! important; float: left!IMPORTANT; float: left")] == [
        True, True, False,
    ]  # fmt: skip


def test_only_the_first_characters_of_a_block_count():
    assert declarations(" " * MAX_STYLE + "float: left") == ()


@given(
    st.text(max_size=80) | st.text("0123456789.%-+eE() ,/#:;pxrgbaurlhsl", max_size=80),
    st.sampled_from(sorted(_READERS)),
)
def test_no_text_raises(text, name):
    assert isinstance(declarations(f"{name}: {text}"), tuple)
    assert legacy_color(text) is None or 0 <= legacy_color(text) < 2**32


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("calc(10px + 2em)", (10, 2, 0, 0, 0, 0, 0)), ("calc(100% - 3 * 4px)", (-12, 0, 0, 0, 0, 1, 0)),
        ("calc((1px + 2px) / 2)", (1.5, 0, 0, 0, 0, 0, 0)), ("min(100%, 500px)", (500, 0, 0, 0, 0, 0, 0)),
        ("max(1rem, 2vw)", (0, 0, 0, 2, 0, 0, 0)), ("clamp(1rem, 1vw, 3rem)", (0, 0, 1, 0, 0, 0, 0)),
        ("clamp(1rem, 9vw, 3rem)", (0, 0, 3, 0, 0, 0, 0)), ("calc(1px", (1, 0, 0, 0, 0, 0, 0)),
        ("calc(-1 * (2px - 1px))", (-1, 0, 0, 0, 0, 0, 0)), ("calc(1px * 1px)", None), ("calc()", None),
        ("calc(1px / 0)", (0, 0, 0, 0, 0, 0, 0)), ("red", None), ("calc(" * 40 + "1px", None),
    ],
)  # fmt: skip
def test_calculations_are_sums_of_units(text, expected):
    assert parse_sum(text) == expected


def test_shorthands_of_boxes_are_read():
    assert read("border: 2px solid red")[k.BORDER_TOP] == (k.PLAIN, 2)
    assert read("border: none")[k.BORDER_LEFT] == (k.PLAIN, 0)
    assert read("border-bottom: solid")[k.BORDER_BOTTOM] == (k.PLAIN, 3)
    assert read("inset: 1px 2px")[k.RIGHT] == (k.PLAIN, 2)
    assert read("margin-inline: 1px auto")[k.MARGIN_LEFT] == (k.PLAIN, 1)
    assert read("margin-left: 25%")[k.MARGIN_LEFT] == (k.PLAIN, 0.25 * k.SHARE)
    assert read("transform: translate(-50%, 3px) rotate(1deg)")[k.MOVE_Y] == (k.PLAIN, 3)


def test_shorthands_of_items_are_read():
    assert read("flex: 1")[k.BASIS] == (k.PLAIN, 0)
    assert read("flex: 0 0 25%")[k.BASIS] == (k.PLAIN, 0.25 * k.SHARE)
    assert read("flex: none")[k.SHRINK] == (k.PLAIN, 0)
    assert read("gap: 1px 2px")[k.COLUMN_GAP] == (k.PLAIN, 2)
    assert read("grid-column: 2 / span 3")[k.COLUMN_SPAN] == (k.PLAIN, 3)
    assert read("grid-column: 1 / -1")[k.COLUMN_END] == (k.PLAIN, -1)
    assert read("grid-area: main")[k.AREA] == (k.PLAIN, "main")
