"""Commands as the library click runs them, made from the parameters that `webgrain.cli.options` declares."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import click

from webgrain.cli.options import Parameter, parameters_of


class HelpedCommand(click.Command):
    """A command whose help describes its arguments, too."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments and the options."""
        arguments = [each for each in self.get_params(ctx) if isinstance(each, HelpedArgument)]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl([(each.make_metavar(ctx), each.help or "") for each in arguments])
        super().format_options(ctx, formatter)

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: since version 8.5, click would write the arguments again."""


class HelpedArgument(click.Argument):
    """An argument with a description, its attribute ``help``."""

    def __init__(self, names: Sequence[str], description: str, **settings: Any) -> None:
        super().__init__(names, **settings)
        self.help = description


class NamedPath(click.Path):
    """A path that is not empty: `Path` would take an empty one for the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; an empty one is a wrong value."""
        if value == "":
            self.fail("the name of a file or a folder is empty", param, ctx)
        return super().convert(value, param, ctx)


class OrderedGroup(click.Group):
    """A group whose help lists the commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)


def command(name: str, function: Callable[..., None], *, no_args_is_help: bool) -> click.Command:
    """Return a command.

    function: made by `webgrain.cli.options.with_options`. no_args_is_help: without arguments, show the help.

    >>> from webgrain.cli.options import option, with_options
    >>> @with_options
    ... def hello(*, times: int = option(1, "--times N", min=1)) -> None:
    ...     print(times * "na")
    >>> command("hello", hello, no_args_is_help=False).main(["--times=2"], standalone_mode=False)
    nana
    """
    return HelpedCommand(
        name,
        callback=function,
        params=[_made(parameter) for parameter in parameters_of(function)],
        help=function.__doc__,
        no_args_is_help=no_args_is_help,
    )


def _made(parameter: Parameter) -> click.Parameter:
    """Return the option or the argument of a parameter."""
    declared = parameter.declared
    hint, is_list = _type_of_value(parameter.hint)
    settings: dict[str, Any] = {
        "type": _click_type(hint, declared.least, declared.most),
        "required": parameter.default is ...,
        "metavar": declared.value,
        "callback": _list_of if is_list else None,
    }
    if not settings["required"] and not is_list:
        settings["default"] = parameter.default
    if not declared.names:  # shells complete the names of files
        settings["type"] = click.Path(readable=False, path_type=str) if hint is str else settings["type"]
        if is_list:
            shown = declared.value if settings["required"] else f"[{declared.value}]"
            settings |= {"nargs": -1, "metavar": f"{shown}..."}
        return HelpedArgument([parameter.name], description=declared.help, **settings)
    if hint is bool:
        del settings["type"], settings["metavar"]
        settings["is_flag"] = True
    return click.Option(
        [*declared.names, parameter.name],
        help=declared.help,
        show_default=declared.shows_default,
        multiple=is_list,
        **settings,
    )


def _type_of_value(hint: Any) -> tuple[Any, bool]:
    """Return the type of a value, and whether there may be several.

    >>> _type_of_value(list[str] | None), _type_of_value(bool)
    ((<class 'str'>, True), (<class 'bool'>, False))
    """
    if get_origin(hint) in (Union, types.UnionType):
        (hint,) = [each for each in get_args(hint) if each is not types.NoneType]
    if get_origin(hint) is list:
        return get_args(hint)[0], True
    return hint, False


def _click_type(hint: Any, least: float | None, most: float | None) -> Any:
    """Return the type by which click reads a value; None for a text."""
    if get_origin(hint) is Literal:
        return click.Choice(get_args(hint))
    if hint is Path:
        return NamedPath(path_type=Path)
    limits = {name: hint(value) for name, value in (("min", least), ("max", most)) if value is not None}
    if hint is int:
        return click.IntRange(**limits) if limits else click.INT
    if hint is float:
        return click.FloatRange(**limits) if limits else click.FLOAT
    return None


def _list_of(_: click.Context, __: click.Parameter, values: tuple[Any, ...]) -> list[Any] | None:
    """Return the values that are given as a list; None for none."""
    return list(values) or None
