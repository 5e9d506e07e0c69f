"""One connection to the TiMBL port: a line in, an answer out.

`TextSession` speaks timblserver's text protocol and `JsonSession` its JSON protocol. A session takes the snapshot of a
base once per line, so a correction shows in the next answer. What timblserver keeps between the lines of a connection
(options, whether a vote was tied, how numbers are printed) is kept here; where timblserver 1.14 ends its process or
says nothing, the answer is an error.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from casebase.errors import CasebaseError
from casebase.serve.ports.timbl_base import Answer, Base, Group
from casebase.serve.ports.timbl_settings import BrokenOption, RefusedOption, changed, settings_table
from casebase.timbl.notation import as_distance, as_votes
from casebase.timbl.options import Options

WELCOME = "Welcome to the Timbl server.\n"
FULL = "Maximum connections exceeded.\ntry again later...\n"
NO_BASE = "you haven't selected a base yet!"
NO_BASE_SHOWN = "no base selected"
FIRST_FAILURE = (
    "A preceding error prevents any operation on this Timbl Object\nother experiments might not be influenced"
)
NEXT_FAILURE = "This Experiment is invalid due to errors"
N_FAILURES = 6  # how often a broken base repeats this when its options are set
ALONE = "default"  # timblserver's name of a base that is the only one
COMMANDS = ("BASE", "CLASSIFY", "EXIT", "QUERY", "SET")


class Bases(Protocol):
    """The bases of a port by name, as they are now."""

    @property
    def names(self) -> tuple[str, ...]: ...
    def base(self, name: str) -> Base: ...


class Experiment:
    """What a connection has set on the base that it has selected."""

    def __init__(self, name: str, options: Options) -> None:
        self.name, self.options = name, options
        self.had_tie = False
        self.rejected: str | None = None  # a value that is noticed with the next question
        self.n_failures: int | None = None  # of a broken base, those that were reported
        self.n_places = self.n_groups = 0  # of a JSON list of neighbours
        self.last_depth: int | None = None

    def fail(self) -> str:
        """Return the message of a broken base."""
        assert self.n_failures is not None
        self.n_failures += 1
        return FIRST_FAILURE if self.n_failures == 1 else NEXT_FAILURE

    def set(self, text: str, *, is_tree: bool) -> list[str]:
        """Change options; return the errors, none if all is well."""
        if self.rejected is not None:
            self.n_failures, self.rejected = 0, None
        errors: list[str] = []
        if self.n_failures is None:
            try:
                self.options = changed(self.options, text, is_tree=is_tree)
                return []
            except RefusedOption as error:
                self.rejected = error.later
                return [str(error)]
            except BrokenOption as error:
                self.n_failures, errors = 0, [str(error)]
                if not str(error).startswith("option-error"):
                    return errors
        return errors + [self.fail() for _ in range(N_FAILURES)]

    def failure(self) -> list[str]:
        """Return what a question is told instead of an answer; nothing if the base is not broken."""
        if self.rejected is not None:
            message, self.rejected, self.n_failures = self.rejected, None, 0
            return [message, self.fail()] if "MVD_LIMIT" in message else [message]
        return [] if self.n_failures is None else [self.fail()]

    def remember(self, answer: Answer) -> Answer:
        """Note what timblserver keeps of an answer; return the answer as it would give it."""
        self.had_tie |= answer.was_tied
        # The list of groups grows to k, and to k + 1 for a vote that is repeated, and is never shortened.
        for n_groups in (self.options.k, self.options.k + answer.was_tied):
            self.n_places += max(0, n_groups - self.n_groups)
            self.n_groups = n_groups
        if answer.is_stored and self.last_depth is not None:  # TRIBL2 leaves the depth of the line before
            answer = replace(answer, depth=self.last_depth)
        self.last_depth = answer.depth
        return answer


class Session(ABC):
    """The state of a connection, and what both protocols do with it."""

    def __init__(self, bases: Bases) -> None:
        self.bases = bases
        self.is_closed = False
        names = bases.names
        self.is_alone = len(names) == 1
        self.experiment = self._select(names[0]) if self.is_alone else None

    @abstractmethod
    def greeting(self) -> bytes:
        """Return what a client is told first."""

    @abstractmethod
    def answer(self, line: bytes) -> bytes:
        """Return the answer to one line, which has no end of line any more."""

    def _select(self, name: str) -> Experiment:
        # timblserver shows the levels of the command line only; of a base that is alone also +vf.
        return Experiment(name, self.bases.base(name).options(["f"] if self.is_alone else []))

    def _known(self, name: str) -> str | None:
        names = self.bases.names
        if self.is_alone and name == ALONE and ALONE not in names:
            return names[0]
        return name if name in names else None

    def _classified(self, base: Base, experiment: Experiment, line: str) -> Answer:
        if base.is_tree and experiment.options.k > 1:
            raise CasebaseError("number of neighbors must be 1 for IGTree test!")
        return experiment.remember(base.answer(line, experiment.options, had_tie=experiment.had_tie))


class TextSession(Session):
    """timblserver's text protocol: a command and its arguments on a line; commands may be abbreviated."""

    def __init__(self, bases: Bases) -> None:
        super().__init__(bases)
        self._keeps_zeros = False  # like a C++ stream, once a table or list of neighbours was printed

    def greeting(self) -> bytes:
        names = "" if self.is_alone else f"available bases: {' '.join(self.bases.names)} \n"
        return (WELCOME + names).encode()

    def answer(self, line: bytes) -> bytes:
        # Bytes that are not UTF-8 come back as they came.
        text = line.decode("utf-8", "surrogateescape").strip()
        try:
            answer = self._answer(text)
        except CasebaseError as error:
            answer = _error(f" {_one_line(error)} ")
        return answer.encode("utf-8", "surrogateescape")

    def _answer(self, text: str) -> str:
        if not text:  # timblserver closes the connection, too
            self.is_closed = True
            return ""
        if text[0] == "#":
            return f"SKIP '{text}'\n"
        word, _, rest = text.partition("\t" if "\t" in text.split(" ")[0] else " ")
        command = next((one for one in COMMANDS if one.startswith(word.upper())), None)
        if command is None:
            return _error(f" Illegal instruction:'{word}' in line:{text}")
        rest = rest.strip()
        if command == "EXIT":
            self.is_closed = True
            return "OK Closing\n"
        if command == "BASE":
            return self._base(rest)
        if self.experiment is None:
            return NO_BASE + "\n"
        base = self.bases.base(self.experiment.name)
        if command == "QUERY":
            return self._query(base, self.experiment)
        if command == "SET":
            errors = self.experiment.set(rest, is_tree=base.is_tree)
            told = "".join(_error(f" {one} ") for one in errors)
            return told + _error(f" set options failed: {rest}") if errors else "OK\n"
        return self._classify(base, self.experiment, rest)

    def _base(self, name: str) -> str:
        known = self._known(name)
        if known is None:
            return _error(f" Unknown basename: {name}")
        self.experiment = self._select(known)
        return f"selected base: '{name}'\n"

    def _query(self, base: Base, experiment: Experiment) -> str:
        self._keeps_zeros = True
        rows = [f"{name:<20} : {value}\n" for name, value in settings_table(base.described, experiment.options)]
        return f"STATUS\nCurrent Experiment Settings :\n{''.join(rows)}\nENDSTATUS\n"

    def _classify(self, base: Base, experiment: Experiment, line: str) -> str:
        failures = experiment.failure()
        if failures:
            return "".join(_error(f" {one} ") for one in failures)
        answer = self._classified(base, experiment, line)
        parts = [f"CATEGORY {{{answer.category}}}"]
        if answer.distribution is not None:
            parts.append(f" DISTRIBUTION {answer.distribution}")
        if answer.distance is not None:
            parts.append(f" DISTANCE {{{self._number(answer.distance)}}}")
        if answer.depth is not None and experiment.options.shows("md"):
            parts.append(f" MATCH_DEPTH {{{answer.depth}}}")
        if answer.confidence is not None:
            parts.append(f" CONFIDENCE {{{self._number(answer.confidence)}}}")
        if answer.groups is not None:
            self._keeps_zeros = True
            lists = (_listed(place, group, experiment.options) for place, group in enumerate(answer.groups, 1))
            parts.append(f" NEIGHBORS\n{''.join(lists)}ENDNEIGHBORS")
        return "".join(parts) + "\n"

    def _number(self, number: float) -> str:
        return as_votes(number) if self._keeps_zeros else f"{number:.6g}"


def _error(text: str) -> str:
    return f"ERROR {{{text}}}\n"


def _one_line(error: CasebaseError) -> str:
    return str(error).replace("\n", " ")


def _listed(place: int, group: Group, options: Options) -> str:
    lines = [f"# k={place}, {group.n_lines:.0f} Neighbor(s) at distance: \t{as_distance(group.distance)}\n"]
    for pattern in group.patterns:
        votes = pattern.votes if options.shows("db") else " -*-"
        lines.append(f"#\t{pattern.text}{votes}\n")
    return "".join(lines)


class JsonSession(Session):
    """timblserver's JSON protocol: an object with a command and its parameters on a line."""

    def greeting(self) -> bytes:
        bases = {} if self.is_alone else {"available_bases": list(self.bases.names)}
        return _json(bases | {"status": "ok"})

    def answer(self, line: bytes) -> bytes:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            return b""  # as timblserver: what is not JSON is skipped
        if not isinstance(request, dict) or not isinstance(request.get("command"), str):
            return _wrong(f"Illegal instruction:'{line.decode('utf-8', 'replace').strip()}'")
        try:
            return _json(self._answer(request["command"], request))
        except CasebaseError as error:
            return _wrong(_one_line(error))

    def _answer(self, command: str, request: Mapping[str, Any]) -> Any:
        parameter, parameters = request.get("param"), request.get("params")
        if command == "exit":
            self.is_closed = True
            return {"status": "closed"}
        if command not in ("base", "set", "query", "show", "classify"):
            raise CasebaseError(f"Unknown command: '{command}'")
        if command != "base" and self.experiment is None:
            is_shown = command in ("query", "show")
            raise CasebaseError(f"'show' failed: {NO_BASE_SHOWN}" if is_shown else f"'{command}' failed: {NO_BASE}")
        if command == "classify":
            return self._classify(parameter, parameters)
        if not isinstance(parameter, str):
            raise CasebaseError(f"missing 'param' for {command} command ")
        if command == "base":
            known = self._known(parameter)
            if known is None:
                raise CasebaseError(f"Unknown basename: '{parameter}'")
            self.experiment = self._select(known)
            return {"base": parameter}
        assert self.experiment is not None
        base = self.bases.base(self.experiment.name)
        if command == "set":
            if self.experiment.set(parameter, is_tree=base.is_tree):
                raise CasebaseError(f"set( {parameter}) failed")
            return {"status": "ok"}
        if parameter == "settings":
            return {
                "settings": [{name: value} for name, value in settings_table(base.described, self.experiment.options)]
            }
        if parameter == "weights":
            return {"weighting": base.described.weighting, "weights": base.weights}
        raise CasebaseError(f"'show' failed, unknown parameter: {parameter}")

    def _classify(self, parameter: Any, parameters: Any) -> Any:
        assert self.experiment is not None
        base = self.bases.base(self.experiment.name)
        if isinstance(parameter, str):
            return self._one(base, self.experiment, parameter)
        if isinstance(parameters, list) and parameters and all(isinstance(one, str) for one in parameters):
            return [self._one(base, self.experiment, one) for one in parameters]
        raise CasebaseError("missing 'param' or 'params' for 'classify'")

    def _one(self, base: Base, experiment: Experiment, line: str) -> dict[str, Any]:
        failures = experiment.failure()
        if failures:
            return {"message": failures[-1], "status": "error"}
        try:
            answer = self._classified(base, experiment, line)
        except CasebaseError as error:
            return {"message": _one_line(error), "status": "error"}
        record = {
            "category": answer.category,
            "confidence": answer.confidence,
            "distance": answer.distance,
            "distribution": answer.distribution,
            "match_depth": answer.depth if experiment.options.shows("md") else None,
        }
        record = {name: value for name, value in record.items() if value is not None}
        if answer.groups is not None:
            record["neighbors"] = self._neighbours(answer.groups, experiment)
        return record

    def _neighbours(self, groups: tuple[Group, ...], experiment: Experiment) -> Any:
        shows_votes = experiment.options.shows("db")
        listed: list[Any] = []
        for place, group in enumerate(groups, 1):
            patterns = [
                ({"distribution": one.votes} if shows_votes else {}) | {"instance": one.text} for one in group.patterns
            ]
            neighbour = patterns[0] if len(patterns) == 1 else patterns
            listed.append({"distance": group.distance, "k": place, "neighbor": neighbour, "total": int(group.n_lines)})
        listed += [None] * (experiment.n_places - len(listed))
        return listed[0] if len(listed) == 1 else listed


def _json(record: Any) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def _wrong(message: str) -> bytes:
    return _json({"message": message, "status": "error"})
