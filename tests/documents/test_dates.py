from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgrain.documents.dates import before_date, date_readings, first_date


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2020-05-17", "2020-05-17"),
        ("2020-05-17T08:09Z", "2020-05-17T08:09:00+00:00"),
        ("2020-05-17T08:09:10.123+02:00", "2020-05-17T08:09:10+02:00"),
        ("2020-05-17 08:09:10", "2020-05-17T08:09:10"),
        ("20200517", "2020-05-17"),
        ("2020/5/17", "2020-05-17"),
        ("2020年5月17日", "2020-05-17"),
        ("2007 年 7 月 20 日(金) 13:58", "2007-07-20"),
        ("2020. 5. 17.", "2020-05-17"),
        ("17.05.2020", "2020-05-17"),
        ("17/5/2020", "2020-05-17"),
        ("5/17/2020", "2020-05-17"),
        ("Sun, 17 May 2020 08:09:10 GMT", "2020-05-17"),
        ("Posted on May 17th, 2020 by Kim", "2020-05-17"),
        ("Sept. 3, 2020", "2020-09-03"),
        ("2020 May 17", "2020-05-17"),
        ("17. Mai 2020", "2020-05-17"),
        ("lundi 1er juin 2020", "2020-06-01"),
        ("17 de mayo de 2020", "2020-05-17"),
        ("17 de maio de 2020", "2020-05-17"),
        ("17 maggio 2020", "2020-05-17"),
        ("17 maja 2020", "2020-05-17"),
        ("17 мая 2020", "2020-05-17"),
        ("2020. május 17.", "2020-05-17"),
        ("17 Mayıs 2020", "2020-05-17"),
        ("17 août 2020", "2020-08-17"),
        ("17 września 2020", "2020-09-17"),
        ("17 listopada 2020", "2020-11-17"),
        ("17 grudnia 2020", "2020-12-17"),
    ],
)
def test_dates(text: str, day: str) -> None:
    assert first_date(text) == day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1.2.3",
        "192.168.20.2020",
        "31/2/2020",
        "2020-13-01",
        "17 lamps 2020",
        "1066-10-14",
        "2999-01-01",
        "12 2020",
        "It closed in 2010. May 4 lamps be lit",
    ],
)
def test_other_numbers_are_not_dates(text: str) -> None:
    assert first_date(text) == ""


def test_a_month_between_numbers_of_two_digits() -> None:
    [reading] = date_readings("Posted 04-Mar-07", short_years=True)
    assert (reading.value, reading.two_digits) == ("2007-03-04", True)


def test_american_order() -> None:
    assert first_date("3/4/2020", american=True) == "2020-03-04"
    assert first_date("3.4.2020", american=True) == "2020-04-03"
    assert first_date("3/4/2020") == "2020-04-03"


@given(st.text("0123456789-/. :TZmay年月", max_size=40))
def test_any_text_gives_only_dates(text: str) -> None:
    found = first_date(text)
    assert first_date(found) == found


def test_long_texts_take_linear_time() -> None:
    start = time.process_time()
    before_date("1 a 12 may 3" * 20_000)
    assert time.process_time() - start < 5
