"""The three sentences at the top of a page: what it is about, what holds and was verified, what to know before use.

Nothing stands here that report and manifest do not say. A sentence is made of clauses, the weightiest first; those that
do not fit into ``LONGEST`` characters are left to the rest of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from compsplit.errors import counted, listed
from compsplit.model.report import Finding, Report, Undefined
from compsplit.plain import plain
from compsplit.recipe.checks import IID
from compsplit.recipe.validation import OOD
from compsplit.report.page.command_words import verify_line, verify_words
from compsplit.report.page.given import Given

LONGEST = 350
"""Characters of a sentence."""
_CLAUSE = 240
_NAME = 60
_COMMAND = 150
"""Characters of a command that stands whole in a sentence."""
_PASSED_OVER = ("part-absent", "random-splits", "rows-without-common", "decision", "left-out", "columns")
"""Kinds of findings that are no reason to pause: what is there by intention, and what other clauses tell."""
_WEIGHTIEST = (
    "identical-parts",
    "shared-ids",
    "shared-image-question-answer",
    "shared-question-answer",
    "torn-groups",
    "shared-images",
    "linked-images",
    "size-not-reached",
    "rows-that-cannot-move",
    "unseen-concepts",
    "random-splits-differ",
    "not-stable",
    "other-inputs",
    "commonest-answer-differs",
)
"""Kinds of findings in the order of their weight; all others behind, in the report's order."""

_Clauses = Iterable[str]


def opening(given: Given) -> tuple[str, str, str]:
    """Return the three sentences as plain text."""
    about, holds = _KINDS.get(given.report.subject.get("kind", ""), (_about_anything, _nothing_more))
    before = list(_to_know(given))
    last = f"Before use: {before[0]}" if before else "The report has no finding to know before use"
    return _sentence(about(given)), _sentence(holds(given)), _sentence([last, *before[1:]])


def _sentence(clauses: _Clauses) -> str:
    """Return as many clauses as fit, as one sentence."""
    said = ""
    for clause in clauses:
        # What is shown escaped is longer than it was.
        whole = plain(clause, _CLAUSE if said else LONGEST - 40)[: LONGEST - 2].rstrip(". ")
        longer = f"{said}; {whole}" if said else whole
        if len(longer) < LONGEST:
            said = longer
    return f"{said}."


def _and(names: Iterable[str], shown: int) -> str:
    """Return a few names as they are said."""
    every = list(names)
    return " and ".join(every) if len(every) == 2 else listed(every, shown=shown)


def _files(given: Given, uses: Collection[str] | None = None) -> str:
    """Return `` of A.json and B.json``, nothing where no file is known."""
    inputs = [each for each in given.inputs if uses is None or each.get("used_as") in uses]
    names = dict.fromkeys(plain(each["file"], _NAME) for each in inputs)
    return f" of {_and(names, shown=2)}" if names else ""


def _noun(report: Report) -> str:
    scenes = report.subject.get("row") == "scene" or any(each.name == "scenes" for each in report.measures)
    return "scene" if scenes else "row"


def _parts(given: Given) -> str:
    subject = given.report.subject
    sizes: Mapping[str, Any] = subject.get("parts", {})
    order = given.manifest.get("parts") or sorted(sizes, key=lambda part: (part != subject.get("reference"), part))
    return _and((f"{plain(part, 30)} {sizes[part]['got']:,}" for part in order if part in sizes), shown=5)


def _about_split(given: Given) -> Iterator[str]:
    report, manifest = given.report, given.manifest
    subject = report.subject
    title = plain(subject.get("title", ""), _NAME)
    yield f"This split, {title}, divides {counted(subject['rows'], _noun(report))}{_files(given)} into {_parts(given)}"
    recipe = f" of the recipe {plain(manifest['recipe_name'], _NAME)}" if "recipe_name" in manifest else ""
    yield f"made by the method {subject['method']}{recipe} with seed {subject['seed']}"
    made, taken = _made_and_taken(subject)
    within = f" in {_and(made, shown=4)}" if taken else ""
    if subject["groups"] < subject["rows"]:
        yield f"rows of one group stay together{within} ({counted(subject['groups'], 'group')})"
    if taken:
        yield f"{_and(taken, shown=2)} {'was' if len(taken) == 1 else 'were'} taken out of them afterwards"


def _made_and_taken(subject: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the parts that a method made, train first, and those that were taken out of them for validation."""
    parts = sorted(subject.get("parts", {}), key=lambda part: (part != subject.get("reference"), part))
    taken = [part for part in (IID, OOD) if part in parts]
    return [plain(part, 30) for part in parts if part not in taken], taken


def _split_holds(given: Given) -> Iterator[str]:
    subject, manifest = given.report.subject, given.manifest
    guarantee = str(subject.get("guarantee") or "nothing")
    made, taken = _made_and_taken(subject)
    of = f" of {_and(made, shown=4)}" if taken else ""
    yield f"It guarantees{of}: {guarantee[0].lower()}{guarantee[1:]}"
    yield from _checks(given, subject.get("checks", ()), "when it was made")
    if manifest and not manifest.get("inputs"):
        yield "made from a table in memory, it cannot be verified against its input"
    else:
        yield f"{_verifying(given)} proves it again"


def _verifying(given: Given) -> str:
    files = verify_words(given.manifest)
    whole = verify_line(given.folder, files)
    if len(whole) <= _COMMAND:
        return whole
    return f"{verify_line(given.folder, ())}, with --input and the place of each of its {counted(len(files), 'file')},"


def _checks(given: Given, checks: Sequence[str], when: str) -> Iterator[str]:
    """Yield how many checks hold, by name, or which are broken."""
    broken = [each for each in given.report.findings if each.level == "fail"]
    named = [check for check in checks if any(each.message.startswith(f"{check} does not") for each in broken)]
    if broken:
        of = f" of {len(checks)}" if checks else ""
        names = f": {listed(named, shown=3)}" if named else ""
        yield f"BROKEN {when}: {len(broken)}{of} {'check' if len(broken) == 1 else 'checks'}{names}"
    elif checks:
        all_of = {1: "its check", 2: "both checks"}.get(len(checks), f"all {len(checks)} checks")
        for shown in range(len(checks), 0, -1):
            clause = f"{all_of} held {when} ({listed(checks, shown=shown)})"
            if len(clause) <= 130 or shown == 1:
                yield clause
                return


def _about_audit(given: Given) -> Iterator[str]:
    report, options = given.report, given.manifest.get("options", {})
    subject = report.subject
    splits = next((each.count for each in report.findings if each.kind == "random-splits"), None)
    within = f" in {counted(splits, 'random split')}, the last one with" if splits else " in"
    # What else an audit reads is named for its use: scenes of questions, and lists that say each row's part.
    further = {"scenes", "split"} if options.get("split") is not None else {"scenes"}
    data = {str(each.get("used_as")) for each in given.inputs} - further
    of = f"{counted(subject['rows'], subject.get('row', 'row'))}{_files(given, data)}"
    yield f"This audit measures {of}{within} {_parts(given)}"
    if scenes := _files(given, {"scenes"}):
        yield f"joined to scenes{scenes}"
    if "split" in further and (lists := _files(given, {"split"})):
        yield f"parts by{lists.removeprefix(' of')}"
    if options.get("subsample"):
        yield f"a first look at no more than {counted(options['subsample'], 'row')} of each part"


def _audit_holds(given: Given) -> Iterator[str]:
    options = given.manifest.get("options")
    asked = [] if options is None else [*options.get("checks", ())]
    asked += [] if options is None else [each["require"] for each in options["recipe"].get("check", ())]
    names = dict.fromkeys(each.name for each in given.report.measures if each.unit != "count")
    kinds = f"{counted(len(names), 'kind')} of measures ({listed(names, shown=4)})"
    yield f"An audit measures and guarantees nothing: {kinds}"
    if options is not None and not asked:
        yield "no check was asked for"
    yield from _checks(given, asked, "when it was measured")


def _about_balance(given: Given) -> Iterator[str]:
    subject = given.report.subject
    rows, kept, settings = subject["rows"], subject["kept"], subject["settings"]
    share = f" ({kept / rows:.1%})" if rows else ""
    of = f"{counted(rows, 'row')}{_files(given)}"
    yield f"This balance keeps {kept:,} of {of}{share}, so that answers are spread more evenly"
    levels = ", ".join(f"{level}: {plain(of, _NAME)}" for level, of in settings["levels"].items())
    bounds = ", ".join(f"{name} {settings[name]}" for name in ("bound", "r_min", "r_max"))
    yield f"smoothed in groups ({levels}) with {bounds}"


def _balance_holds(given: Given) -> Iterator[str]:
    report = given.report
    yield "Rows are only dropped, so no answer gains any"
    kinds = {each.kind for each in report.findings}
    if "order-broken" in kinds:
        yield "BROKEN: a step of a level changed the order of the answers of a group"
    else:
        yield "tested: within one step of a level no group's answers changed their order"
    if "not-stable" in kinds:
        yield "rounds were stopped before the end, so another run would drop more"
    else:
        yield f"after {counted(report.subject['rounds'], 'round')} another run changes nothing"


def _about_evaluation(given: Given) -> Iterator[str]:
    subject = given.report.subject
    models = listed((plain(each, _NAME) for each in subject["models"]), shown=3)
    rows = f"{subject['scored']:,} of {counted(subject['rows'], 'row')}{_files(given, ('data',))}"
    yield f"This evaluation scores the predictions of {models} on {rows}"
    yield f"by the rule {listed(subject['metrics'], shown=4)}"
    if subject.get("novelty"):
        yield f"told apart by how new rows are to {plain(subject['novelty'].get('reference', 'train'), _NAME)}"


def _evaluation_holds(given: Given) -> Iterator[str]:
    options = given.manifest.get("options", {})
    stops = {
        "missing": ("every scored row has a prediction", "stop"),
        "repeated": ("none has two", "stop"),
        "allow_unjoined": ("no prediction is of another row", False),
    }
    held = [told for name, (told, value) in stops.items() if options.get(name) == value]
    yield (
        f"By construction {', '.join(held)}: else it would have stopped"
        if held
        else "Every score has its n and its rule"
    )
    yield from _intervals(given.report.subject.get("intervals"))


def _intervals(told: Mapping[str, Any] | None) -> Iterator[str]:
    if told:
        yield f"intervals: {told['method']}, {counted(told['replicates'], 'draw')}, {told['level']:.0%}"
    else:
        yield "no intervals were asked for"


def _about_probe(given: Given) -> Iterator[str]:
    subject = given.report.subject
    new = subject["splits"].get("new", {})
    sizes = f": learned from {new['train']:,}, answered {new['test']:,}" if new else ""
    rows = f"{counted(subject['rows'], 'row')}{_files(given, ('data',))}"
    names = listed(subject["probes"], shown=5)
    yield f"These blind probes ({names}) answer from questions alone on a split of {rows}{sizes}"
    others = [plain(name, _NAME) for name in subject["splits"] if name != "new"]
    if others:
        yield f"held against {listed(sorted(others), shown=3)}"


def _probe_holds(given: Given) -> Iterator[str]:
    subject = given.report.subject
    yield "No probe sees what is in an image, and each learns from the train part alone"
    yield f"scored by the rule {subject['rule']}"
    yield from _intervals(subject.get("intervals"))
    if any(each.note.get("reproducible") for each in given.report.measures):
        yield "learned probes give the same figures on the same platform only"


def _about_profile(given: Given) -> Iterator[str]:
    sets = given.report.subject["sets"]
    told = " and of ".join(f"{plain(name, _NAME)} ({held['questions']:,})" for name, held in sets.items())
    yield f"This profile tells how the questions of {told} are made{_files(given).replace(' of', ', files', 1)}"


def _profile_holds(given: Given) -> Iterator[str]:
    subject = given.report.subject
    yield "A profile counts and guarantees nothing: every question counts as often as it is asked"
    yield f"words are {plain(subject['words'], 100)}; the spread is the {subject['spread']}"
    yield (
        f"parts of speech by {plain(subject['tagger'], _NAME)}"
        if subject.get("tagger")
        else "parts of speech were not told"
    )


def _about_comparison(given: Given) -> Iterator[str]:
    splits = given.report.subject["splits"]
    a, b = (f"{letter} ({plain(splits[letter]['name'], _NAME)})" for letter in "AB")
    rows = counted(given.report.subject["rows"], "row")
    yield f"This holds two splits, {a} and {b}, against each other over {rows} that both have"
    for letter in "AB":
        yield f"{letter}: " + listed(
            (f"{plain(part, 30)} {n:,}" for part, n in splits[letter]["parts"].items()), shown=4
        )


def _comparison_holds(given: Given) -> Iterator[str]:
    report = given.report
    yield "Rows are known by their ids, so their order and their files play no role"
    moved = next((each for each in report.measures if each.name == "rows-moved"), None)
    if moved is not None and isinstance(moved.value, Undefined):
        yield f"which rows moved is undefined: {moved.value.reason}"
    elif moved is not None:
        yield f"{moved.number:,} of {counted(moved.n, 'row')} moved"


def _about_description(given: Given) -> Iterator[str]:
    subject = given.report.subject
    rows = counted(subject["rows"], subject.get("row", "row"))
    yield f"This describes {rows}{_files(given)} in the format {subject['format']}: what is in them, and what is odd"


def _description_holds(given: Given) -> Iterator[str]:
    yield "A description counts and guarantees nothing; every count is over all rows that were read"


def _about_programs(given: Given) -> Iterator[str]:
    subject = given.report.subject
    what = "follows from" if subject["kind"] == "entailed questions" else "is said by the programs of"
    questions = f"{counted(subject['rows'], 'question')}{_files(given)}"
    yield f"This tells what {what} {questions} in the format {subject['format']}"


def _programs_hold(given: Given) -> Iterator[str]:
    yield "Everything is derived by compsplit's rules and held against what the data say"
    for each in given.report.measures:
        if each.name.endswith("-agreement") and not isinstance(each.value, Undefined):
            yield f"{each.name} {each.number:.1%} of {each.n:,}"


def _about_anything(given: Given) -> Iterator[str]:
    yield given.report.verdict


def _nothing_more(given: Given) -> Iterator[str]:
    yield "Every number has its n and its definition"


def _to_know(given: Given) -> Iterator[str]:
    """Yield what to know before use, the weightiest first: what is broken, left out, found, undefined, unchecked."""
    report = given.report
    yield from (each.message for each in report.findings if each.level == "fail")
    yield from _left_out(report)
    yield from _found(report)
    undefined = [each for each in report.measures if isinstance(each.value, Undefined) and each.run is None]
    if undefined:
        first = undefined[0]
        reason = first.value.reason if isinstance(first.value, Undefined) else ""
        n = counted(len(undefined), "measure is", "measures are")
        yield f"{n} undefined, first {first.name} of {plain(first.of, _NAME)}: {reason}"
    yield from _published(given)


def _left_out(report: Report) -> Iterator[str]:
    gone, kept = report.subject.get("left out", 0), report.subject.get("rows", 0)
    if gone:
        reasons = [each.message.rstrip(".") for each in report.findings if each.kind == "decision"]
        why = [each for each in reasons if "left out" in each]
        more = f" ({plain(why[0], 120)})" if len(why) == 1 else ""
        of = f"{gone:,} of {counted(gone + kept, 'record')} ({gone / (gone + kept):.1%})"
        yield f"{of} {'is' if gone == 1 else 'are'} left out{more}"


def _found(report: Report) -> Iterator[str]:
    """Yield the message of the first finding of each kind that may matter, the weightiest kind first."""
    # Such a part is like train on purpose: it shares groups, questions and more with it.
    like_train = f" in {IID} (" if IID in _made_and_taken(report.subject)[1] else None
    of_kind: dict[str, Finding] = {}
    for each in report.findings:
        wanted = like_train is not None and like_train in each.message
        if each.level != "fail" and each.kind not in _PASSED_OVER and not wanted:
            of_kind.setdefault(each.kind, each)
    places = {kind: place for place, kind in enumerate(_WEIGHTIEST)}
    for kind in sorted(of_kind, key=lambda kind: places.get(kind, len(places))):
        # What a message explains further on stands below, with the finding.
        yield re.split(r"(?<=[a-z0-9)])\. (?=[A-Z])", of_kind[kind].message)[0]


def _published(given: Given) -> Iterator[str]:
    figures = given.manifest.get("recipe", {}).get("published", {}).get("figure", ())
    beside = given.report.tables.get("published beside obtained")
    if beside is not None:
        lacking = sum(row[2] is None for row in beside.rows)
        if lacking:
            of = counted(len(beside.rows), "published figure")
            yield f"{lacking} of {of} {'has' if lacking == 1 else 'have'} no obtained one"
    elif figures:
        n = counted(len(figures), "published figure is", "published figures are")
        yield f"the recipe's {n} not held against these rows, which by their counts are not the paper's"


_KINDS: Mapping[str, tuple[Callable[[Given], _Clauses], Callable[[Given], _Clauses]]] = {
    "split": (_about_split, _split_holds),
    "audit": (_about_audit, _audit_holds),
    "balance": (_about_balance, _balance_holds),
    "evaluation": (_about_evaluation, _evaluation_holds),
    "probe": (_about_probe, _probe_holds),
    "profile": (_about_profile, _profile_holds),
    "comparison": (_about_comparison, _comparison_holds),
    "description": (_about_description, _description_holds),
    "programs": (_about_programs, _programs_hold),
    "entailed questions": (_about_programs, _programs_hold),
}
"""Kind -> what it is about, and what holds of it."""
