"""From words to a command: options become fields, mistakes become one line."""

import contextlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Protocol, runtime_checkable

import tyro
from rich.table import Table

from terrarium import __doc__ as _SLOGAN
from terrarium import __version__
from terrarium.cli.tables import open_console
from terrarium.errors import TerrariumError, nearest

# What tyro says, and what we say instead.
_REPHRASED = {
    "^Error parsing ": "",
    r"invalid literal for int\(\) with base 10: (.*)": r"\1 is not a whole number",
    r"could not convert string to float: (.*)": r"\1 is not a number",
    r"Could not find valid parse for arguments: \[(.*)\]": r"\1 does not fit",
    "^Missing value for argument '(.*)'.*": r"\1 needs a value",
    "^Unrecognized options": "too many words",
    r"^Missing from terrarium [a-z ]*: (\S+).*": r"\1 is missing",
}


class Command(Protocol):
    """A dataclass whose fields are options; its docstring is the help."""

    def run(self) -> None: ...


@runtime_checkable
class ReadsItsWords(Protocol):
    """A command class that takes its words as they are: some belong to another program."""

    def from_words(self, words: Sequence[str]) -> Command: ...


Commands = Mapping[str, type[Command]]


def run(commands: Commands, args: Sequence[str]) -> None:
    """Run the command that the first words name, with the options that follow."""
    if args[:1] == ["--version"]:
        print(f"terrarium {__version__}")
        return
    words: list[str] = []
    while " ".join(words) not in commands:
        rest = args[len(words) :]
        wanted = [name.split() for name in commands if name.split()[: len(words)] == words]
        allowed = list(dict.fromkeys(name[len(words)] for name in wanted))
        allowed += ["--help"] if words else ["--help", "--version"]
        if not rest or rest[0] in ("--help", "-h"):
            _print_overview(commands, " ".join(words))
            return
        if rest[0] not in allowed:
            what = "option" if rest[0].startswith("-") else "command"
            raise TerrariumError(
                f'unknown {what} "{" ".join([*words, rest[0]])}".{nearest(rest[0], allowed)} '
                f"Allowed: {', '.join(allowed)}"
            )
        words.append(rest[0])
    name = " ".join(words)
    _parse(name, commands[name], args[len(words) :]).run()


def _parse(name: str, command: type[Command], args: Sequence[str]) -> Command:
    """Turn arguments into a command; what tyro says in a box becomes one line."""
    if isinstance(command, ReadsItsWords):
        if args[:1] not in (["--help"], ["-h"]):
            return command.from_words(args)
        args = args[:1]
    _check_options(name, command, args)
    said, help_text = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(help_text):
            return tyro.cli(
                command,
                prog=f"terrarium {name}",
                description=_help_text(command),
                args=args,
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit as stop:
        if not stop.code:
            print(_without_nothing(help_text.getvalue()), end="")
            raise
        problem = _first_sentence(said.getvalue())
        raise TerrariumError(f"{problem}. See: terrarium {name} --help") from None


def _check_options(name: str, command: type[Command], args: Sequence[str]) -> None:
    options = [f"--{option}" for option in _options(command)]
    for arg in args:
        option = arg.split("=")[0]
        if re.match("--?[a-zA-Z]", option) and option not in (*options, "--help", "-h"):
            raise TerrariumError(
                f'unknown option "{option}" of terrarium {name}.{nearest(option, options)} '
                f"Allowed: {', '.join(options)}"
            )


def _options(command: type[Any]) -> list[str]:
    """The fields that are written with their name; positional ones carry an annotation."""
    named = (field for field in fields(command) if not hasattr(field.type, "__metadata__"))
    return [field.name.replace("_", "-") for field in named]


def _first_sentence(boxed: str) -> str:
    """The message in one of tyro's boxes, in our words: between its title and the first rule."""
    lines = [line.strip("│| ") for line in boxed.splitlines()[1:]]
    is_text = [bool(line.strip("─-╰╯+ ")) for line in lines]
    begin = is_text.index(True) if True in is_text else 0
    end = is_text.index(False, begin) if False in is_text[begin:] else len(lines)
    message = " ".join(lines[begin:end]).rstrip(".")
    for theirs, ours in _REPHRASED.items():
        message = re.sub(theirs, ours, message)
    return message


def _without_nothing(text: str) -> str:
    """A help page without the words of tyro for an option that is not set by default."""
    text = re.sub(r"\{None\}\|(\w+)(?=  )", r"\1       ", text).replace("{None}|", "")
    text = re.sub(r"\s*\(default:\s*(?:None|'')?\s*\)", "", text)
    return re.sub(" +$", "", text, flags=re.MULTILINE)


def _help_text(command: type[Command]) -> str:
    return re.sub("^ +", "", command.__doc__ or "", flags=re.MULTILINE).strip()


def _print_overview(commands: Commands, group: str) -> None:
    """The commands that begin with a word, or all of them."""
    console = open_console(piped_width=80)
    if not group:
        console.print(f"{_SLOGAN}\n", style="bold")
    console.print(f"usage: terrarium {group or 'COMMAND'} ...\n")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(style="cyan", no_wrap=True)
    for name, command in commands.items():
        if name.startswith(group):
            table.add_row(name, _help_text(command).splitlines()[0])
    console.print(table)
    examples = [_help_text(c).splitlines()[-1] for n, c in commands.items() if n.startswith(group)]
    console.print(f"\n{examples[0]}\nMore about one of them:  terrarium COMMAND --help")
