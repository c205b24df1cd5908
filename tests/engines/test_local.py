from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from tests.conftest import PATIENCE, ROOT, wait_until
from tests.engines import tasks

from webgrain.base.errors import ParameterError
from webgrain.base.failures import Failure
from webgrain.base.garbage import NEW_OBJECTS
from webgrain.engines import local
from webgrain.engines.guard import memory_of
from webgrain.engines.local import Local


def alive(process: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


@pytest.mark.usefixtures("forked")
def test_each_result_comes_with_its_argument() -> None:
    assert sorted(Local(2).map(tasks.square, range(20))) == [(n, n * n) for n in range(20)]
    assert list(Local(2).map(tasks.square, [])) == []


@pytest.mark.usefixtures("forked")
def test_arguments_are_asked_for_as_workers_become_free() -> None:
    asked = []
    found = Local(1).map(tasks.square, (asked.append(n) or n for n in count()))  # type: ignore[func-returns-value]
    assert [next(found) for _ in range(3)] == [(0, 0), (1, 1), (2, 4)]
    found.close()
    assert len(asked) <= 5


@pytest.mark.usefixtures("forked")
def test_workers_are_recycled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "RECYCLE", 2)
    processes = [process for _, process in Local(1).map(tasks.process_id, range(5))]
    assert len(set(processes)) == 3
    assert os.getpid() not in processes


def test_workers_calculate_with_one_thread() -> None:
    assert [*Local(1).map(tasks.environment, ["OMP_NUM_THREADS"])] == [("OMP_NUM_THREADS", "1")]


def test_workers_search_for_garbage_less_often() -> None:
    assert [*Local(1).map(tasks.new_objects, [None])] == [(None, NEW_OBJECTS)]


@pytest.mark.usefixtures("forked")
def test_a_killed_worker_loses_no_result(tmp_path: Path) -> None:
    found = Local(2).map(partial(tasks.die_once, tmp_path), range(4))
    assert sorted(found) == [(n, n) for n in range(4)]


@pytest.mark.usefixtures("forked")
def test_an_argument_that_kills_all_workers_is_named(tmp_path: Path) -> None:
    [(argument, failure)] = Local(2).map(tasks.die, ["shard 7"])
    assert argument == "shard 7"
    assert failure == Failure("shard 7", "run", "the process that worked on it ended by signal 9.")


@pytest.mark.usefixtures("forked")
def test_what_a_task_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="3 is wrong") as caught:
        list(Local(1).map(tasks.wrong, [3]))
    assert "tasks.py" in "".join(caught.value.__notes__)  # where it was raised
    with pytest.raises(Exception, match="lambda"):
        list(Local(1).map(tasks.unsendable, [3]))


@pytest.mark.usefixtures("forked")
def test_pages_that_hang_or_crash_are_skipped_and_no_other_page_is_lost(tmp_path: Path) -> None:
    names = ("a", "hang-1", "b", "crash-1", "killed-1", "c")
    [(_, found)] = Local(1).map(partial(tasks.shard, tmp_path), [names])
    assert found == [
        "A",
        ("hang-1", "it takes longer than 2 s and heeds no interruption."),
        "B",
        ("crash-1", "the process that worked on it ended by signal 6."),
        "KILLED-1",
        "C",
    ]


@pytest.mark.usefixtures("forked")
def test_a_page_that_kills_its_worker_among_others_is_skipped_after_two_deaths(tmp_path: Path) -> None:
    [(_, pages)] = Local(1).map(partial(tasks.shard_together, tmp_path), [("a", "crash-1", "b")])
    assert pages == ["A", ("crash-1", "the process that worked on it ended by signal 6."), "B"]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.usefixtures("forked")
@pytest.mark.skipif(memory_of() is None, reason="memory is limited on Linux only")
def test_a_page_that_grows_unseen_is_skipped(tmp_path: Path) -> None:
    [(_, found)] = Local(1).map(partial(tasks.shard, tmp_path), [("a", "grow-1")])
    assert found[0] == "A"
    assert "grew beyond" in found[1][1] or "takes longer" in found[1][1]  # a busy machine may look late


@pytest.mark.usefixtures("forked")
def test_no_worker_remains_after_the_iteration_ends(tmp_path: Path) -> None:
    found = Local(2).map(tasks.process_id, count())
    processes = [next(found)[1] for _ in range(4)]
    found.close()
    wait_until(lambda: not any(map(alive, processes)))


SCRIPT = """
import sys
from pathlib import Path
from tests.engines import tasks
from webgrain.engines.local import Local

if __name__ == "__main__":
    list(Local(2).map(tasks.wait_for_end, [Path(name) for name in sys.argv[1:]]))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_its_parent_process(how: signal.Signals, tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    asked = subprocess.Popen(
        [sys.executable, script, *files], env=os.environ | {"PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE
    )
    wait_until(lambda: all(file.exists() and file.read_text() for file in files))
    asked.send_signal(how)
    _, result = asked.communicate(timeout=PATIENCE)
    processes = [int(file.read_text()) for file in files]
    wait_until(lambda: not any(map(alive, processes)))
    assert (b"KeyboardInterrupt" in result) == (how == signal.SIGINT)


INTERRUPTED = """
import os, signal
from tests.engines import tasks
from webgrain.engines.local import Local

if __name__ == "__main__":
    print(*Local(1).map(tasks.square, [3]))
else:  # a worker, before it ignores the signal
    os.kill(os.getpid(), signal.SIGINT)
"""


def test_a_worker_ignores_ctrl_c_while_it_starts(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("(3, 9)\n", "")


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(ParameterError):
        Local(0)
