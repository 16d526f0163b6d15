"""compsplit evaluate: what predictions score, by the official rule of the data, by type, by part, by novelty."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from compsplit.cli import options as shared
from compsplit.errors import UsageError

_DATA = "Parts, for accuracy by novelty"
_GQA = "What GQA's metrics need"
_JOIN = "Where predictions and data do not fit"
_SCORES = "What is scored"
_INTERVALS = "Intervals"
_RESULTS = "Results"


class _Missing(StrEnum):
    stop = "stop"
    wrong = "wrong"
    leave_out = "leave-out"


class _Repeated(StrEnum):
    stop = "stop"
    last = "last"


class _Score(StrEnum):
    balanced = "balanced"
    all = "all"


def evaluate(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA... PREDICTIONS",
            help="Questions with answers (and annotations), then one file of predictions: VQA's list of results, GQA's "
            "list, JSON lines, {id: answer}, or CSV of id and prediction.",
        ),
    ],
    compare: Annotated[
        list[str] | None,
        typer.Option(
            "--compare",
            metavar="[NAME=]FILE",
            help="Predictions of another model, held against the first by a paired bootstrap. Repeatable.",
            show_default=False,
        ),
    ] = None,
    train: Annotated[
        list[str] | None,
        typer.Option(
            "--train",
            metavar="FILE",
            help="Questions that the model was trained on: accuracy is told by how new a row is to them. Repeatable.",
            show_default=False,
            rich_help_panel=_DATA,
        ),
    ] = None,
    split: Annotated[
        Path | None,
        typer.Option(
            "--split",
            metavar="SPLIT",
            help="Folder that `run` wrote, or ids by part, that says each row's part.",
            show_default=False,
            rich_help_panel=_DATA,
        ),
    ] = None,
    part_column: Annotated[
        str | None,
        typer.Option(
            "--part-column",
            metavar="NAME",
            help="Column that names each row's part.",
            show_default=False,
            rich_help_panel=_DATA,
        ),
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="PART",
            help="Part that is scored; those with predictions by default. Repeatable.",
            show_default=False,
            rich_help_panel=_DATA,
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            metavar="PART",
            help="Part that novelty is told from.",
            show_default="train",
            rich_help_panel=_DATA,
        ),
    ] = None,
    choices: Annotated[
        Path | None,
        typer.Option(
            "--choices",
            metavar="F",
            help="Valid and plausible answers of each question.",
            show_default=False,
            rich_help_panel=_GQA,
        ),
    ] = None,
    all_questions: Annotated[
        list[str] | None,
        typer.Option(
            "--all-questions",
            metavar="F",
            help="Questions that entailed lists speak of, where the data are the balanced ones. Repeatable.",
            show_default=False,
            rich_help_panel=_GQA,
        ),
    ] = None,
    scenes: Annotated[
        Path | None,
        typer.Option(
            "--scenes", metavar="F", help="Scene graphs, for grounding.", show_default=False, rich_help_panel=_GQA
        ),
    ] = None,
    attentions: Annotated[
        Path | None,
        typer.Option(
            "--attentions",
            metavar="F",
            help="Attention maps, for grounding; needs --scenes.",
            show_default=False,
            rich_help_panel=_GQA,
        ),
    ] = None,
    map_size: Annotated[
        int,
        typer.Option("--map-size", metavar="N", min=1, help="Cells of a map along each side.", rich_help_panel=_GQA),
    ] = 7,
    pair_scores: Annotated[
        Path | None,
        typer.Option(
            "--pair-scores",
            metavar="F",
            help="What each row's pairs score, for --metric czsl: CSV of id, pair, score, or a column a pair.",
            show_default=False,
            rich_help_panel=_SCORES,
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="Metric, by its name in `compsplit list metric`; those that fit the data by default. Repeatable.",
            show_default=False,
            rich_help_panel=_SCORES,
        ),
    ] = None,
    metric_option: Annotated[
        list[str] | None,
        typer.Option(
            "--metric-option",
            metavar="METRIC.KEY=VALUE",
            help="Option of a metric, such as gqa-ood.alpha=0.5. Repeatable.",
            show_default=False,
            rich_help_panel=_SCORES,
        ),
    ] = None,
    score: Annotated[
        _Score,
        typer.Option("--score", help="Of GQA: the balanced questions, or all of them.", rich_help_panel=_SCORES),
    ] = _Score.balanced,
    missing: Annotated[
        _Missing,
        typer.Option(
            "--missing",
            help="Rows without a prediction: stop, count them as wrong, or leave them out.",
            rich_help_panel=_JOIN,
        ),
    ] = _Missing.stop,
    repeated: Annotated[
        _Repeated,
        typer.Option("--repeated", help="Several predictions of a row: stop, or take the last.", rich_help_panel=_JOIN),
    ] = _Repeated.stop,
    allow_unjoined: Annotated[
        bool,
        typer.Option(
            "--allow-unjoined",
            help="Leave predictions of no row, and records without a partner, out and count them.",
            rich_help_panel=_JOIN,
        ),
    ] = False,
    join_zeros: Annotated[
        bool,
        typer.Option("--join-zeros", help="Join ids that lost their leading zeros.", rich_help_panel=_JOIN),
    ] = False,
    replicates: Annotated[
        int,
        typer.Option(
            "--replicates",
            metavar="N",
            min=0,
            help="Draws of images for the intervals; 0 for none.",
            rich_help_panel=_INTERVALS,
        ),
    ] = 1000,
    level: Annotated[
        float, typer.Option("--level", metavar="P", help="Share of draws inside.", rich_help_panel=_INTERVALS)
    ] = 0.95,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the draws.", rich_help_panel=_INTERVALS)] = 0,
    recipe: Annotated[
        str | None,
        typer.Option(
            "--recipe",
            metavar="NAME",
            help="Recipe that says how questions are reduced, for novelty.",
            show_default=False,
            rich_help_panel=_DATA,
        ),
    ] = None,
    settings: shared.Settings = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write report.json, report.md, rows.csv (every scored row) and manifest.json.",
            show_default=False,
            rich_help_panel=_RESULTS,
        ),
    ] = None,
    force: shared.Force = False,
    html: shared.Html = False,
    json: shared.Json = False,
    format: shared.Format = None,
    columns: shared.Columns = None,
    read: shared.Read = None,
    id_scope: shared.IdScope = None,
    new_ids: shared.NewIds = False,
    threads: shared.Threads = None,
) -> None:
    """Score predictions by the official rules: VQA accuracy, GQA's metrics, exact text; by type, part and novelty.

    Example: compsplit evaluate questions.json annotations.json results.json

    Example: compsplit evaluate val_balanced.json predictions.json --all-questions val_all.json --choices choices.json

    Example: compsplit evaluate data.csv predictions.csv --split my_split --compare other=other.csv
    """
    from compsplit import api
    from compsplit.recipe.audit_folder import check_audit_out
    from compsplit.report import show

    if len(files) < 2:
        raise UsageError("Give the data and then the predictions: compsplit evaluate DATA... PREDICTIONS.")
    if out is not None:
        check_audit_out(out, force)
    page = shared.page_beside(html, out, force)
    *data, first = files
    given = {**shared.reading(columns, id_scope, new_ids, False, threads), **shared.read_options(read)}
    with shared.progress() as watch:
        made = api.evaluate(
            data, _models([first, *(compare or [])]), train=train or None, split=split, part_column=part_column,
            parts=part or (), reference=reference, all_questions=all_questions or None, choices=choices,
            scenes=scenes, attentions=attentions, map_size=map_size, pair_scores=pair_scores, metrics=metric or (),
            metric_options=metric_option or (), score=score.value, missing=missing.value, repeated=repeated.value,
            allow_unjoined=allow_unjoined, join_zeros=join_zeros, replicates=replicates, level=level, seed=seed,
            recipe=recipe, settings=settings or (), format=format, watch=watch, **given,
        )  # fmt: skip
        if out is not None:
            watch("writing the report")
            made.write(out, force=force)
            shared.make_page(page, out, force, watch)
    if json:
        shared.print_json(made.report.to_json())
    else:
        show(made.report, shared.console())
        shared.tell_page(page)


def _models(files: list[str]) -> dict[str, Path]:
    """Return name -> file of predictions; a name is that of the file, unless NAME=FILE says another."""
    models: dict[str, Path] = {}
    for each in files:
        name, equals, file = each.partition("=")
        if not equals or "/" in name or Path(each).exists():
            name, file = Path(each).stem, each
        # ARCHIVE//MEMBER: whether the archive has such a member is told where it is read.
        if not any(place.is_file() for place in (Path(file), *Path(file).parents)):
            raise UsageError(f"{file}: there is no such file of predictions.", file=file)
        if name in models:
            raise UsageError(f'Two models are called "{name}"; name them apart: NAME=FILE.', field="--compare")
        models[name] = Path(file)
    return models
