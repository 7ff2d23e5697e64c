"""A case: the model, the scheme and the run that a TOML text states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

from nsgalpha import checks
from nsgalpha.api.simulation import simulate
from nsgalpha.api.view_option import View
from nsgalpha.case.case_errors import Problem, Source
from nsgalpha.case.case_schema import schema
from nsgalpha.case.model_builder import Builder, named_key
from nsgalpha.case.size_limits import Limits, check_data
from nsgalpha.case.table_types import CaseTable
from nsgalpha.case.toml_lines import Path
from nsgalpha.case.toml_tables import check, parse, read_text
from nsgalpha.model.model import Model
from nsgalpha.run.recording import Recording
from nsgalpha.run.result import Result
from nsgalpha.run.watchers import Watcher
from nsgalpha.schemes.scheme_settings import Scheme
from nsgalpha.stepping.step_times import step_sizes


@dataclass(frozen=True, slots=True)
class Case:
    """The content of a case file.

    title: of the file, or "". model: bodies, planes and all that acts. scheme: None for that of `simulate`.
    settings: its arguments `t_end`, `h`, `accuracy`, `impacts`, `tol` as far as they are given. recording:
    arguments of `Recording`. names: handles of bodies, planes and primitives by name; groups: lists of them
    by name.
    """

    title: str
    model: Model
    scheme: Scheme | None
    settings: Mapping[str, float]
    recording: Mapping[str, Any]
    names: Mapping[str, Any] = field(repr=False)
    groups: Mapping[str, Any] = field(repr=False)
    _builder: Builder = field(repr=False)

    def run(
        self,
        file: str | PathLike[str] | None = None,
        *,
        t_end: float | None = None,
        h: float | None = None,
        accuracy: float | None = None,
        watch: Sequence[Watcher] = (),
        progress: bool = False,
        overwrite: bool = False,
        view: View = False,
        threads: int = 1,
    ) -> Result:
        """Run it and return the result, recorded in `file` or in memory.

        t_end, h, accuracy: instead of those of the case. watch, view, threads: as for `simulate`. progress: a
        bar on the terminal. overwrite: whether a `file` that exists is replaced.

        Raises CaseError, with the place in the case file, for problems that only a run can find, such as
        bodies that overlap at the start. Raises the errors of `Recording` and `simulate` for the arguments
        given here.
        """
        asked = {"t_end": t_end, "h": h, "accuracy": accuracy}
        given = {key: value for key, value in asked.items() if value is not None}
        given["threads"] = threads
        recording = Recording(**self.recording, file=file, overwrite=overwrite)
        settings: dict[str, Any] = {**self.settings, **given, "scheme": self.scheme, "recording": recording}
        try:
            state = self._start()
            return simulate(self.model, **settings, watch=watch, progress=progress, state=state, view=view)
        except ValueError as error:
            path = self._path_of(str(error))
            if (path and path[-1] in given) or (not path and watch):
                raise  # about an argument given here
            raise self._builder.source.error([Problem(path, str(error))]) from error

    def _start(self) -> Any:
        """The first state that [run.start] states, or None."""
        run = self._builder.case["run"].values
        if "start" not in run:
            return None
        table, path = run["start"], ("run", "start")
        arguments = self._builder.arguments(table.values, path, ("type",))
        return table.maker(self.model, **arguments)

    def _path_of(self, message: str) -> Path:
        """Table of a run's message: that of a key, a joint, or a body."""
        run = self._builder.case["run"].values
        if "start" in run and (key := named_key(message, run["start"].values)):
            return ("run", "start", *key)
        if key := named_key(message, {"h": 0, "accuracy": 0, "impacts": 0, "threads": 1, **run}):
            return ("run", *key)
        for name, path in self._builder.joints.items():
            if f"violation of {name} = " in message:
                return path
        paths = self._builder.names.paths
        places = [(message.find(repr(name)), path) for name, path in paths.items() if repr(name) in message]
        if places:
            return min(places)[1]
        return ("scheme",) if message.startswith("scheme") else ()


def load_case(path: str | PathLike[str], *, limits: Limits | None = None) -> Case:
    """The case in a TOML file.

    limits: the most that it may hold and ask for, by default `Limits()`.

    Raises CaseError, whose message has a line for each problem with file, line and key path. Also raises it
    for files that are not regular, or ask for more than the limits.
    """
    file, limits = checks.path("path", path), _limits(limits)
    return _case(*parse(read_text(file, limits), fspath(file), limits), limits)


def parse_case(text: str | Mapping[str, Any], name: str = "case", *, limits: Limits | None = None) -> Case:
    """The case in a TOML `text`, or in its data; errors call it `name`.

    limits, and CaseError: as for `load_case`.
    """
    checks.text("name", name)
    limits = _limits(limits)
    if isinstance(text, str):
        return _case(*parse(text, name, limits), limits)
    checks.instance("text", text, Mapping, "a TOML text, or the data of one")
    check_data(text, name, limits)
    return _case(dict(text), Source(name), limits)


def _limits(limits: Limits | None) -> Limits:
    checks.instance("limits", limits, Limits | None, "Limits(...)")
    return limits or Limits()


def _case(data: dict[str, Any], source: Source, limits: Limits) -> Case:
    checked = check(data, schema(), source)
    table = checked.table
    builder = Builder(checked, source, limits)
    builder.build()
    scheme = None
    if "scheme" in table.values:
        with builder.at(("scheme",), table.values["scheme"].values):
            scheme = builder.made(table.values["scheme"], ("scheme",))
    run = _plain(table, "run")
    with builder.at(("run",), run):
        step_sizes(run.get("h", 1.0))
    with builder.at(("run",), run):
        checks.positive("t_end", 1.0 if "start" in run else run["t_end"], "a run ends after the start")
    recording = _plain(table, "recording")
    with builder.at(("recording",), recording):
        Recording(**recording)
    builder.finish()
    run = {key: value for key, value in run.items() if key != "start"}
    title, names = table.values.get("title", ""), builder.names
    return Case(title, builder.model, scheme, run, recording, names.things, names.groups, builder)


def _plain(table: CaseTable, key: str) -> dict[str, Any]:
    """The values of a table without names, {} if it is not given."""
    return dict(table.values[key].values) if key in table.values else {}
