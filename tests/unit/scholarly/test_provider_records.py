"""Crossref's and DataCite's records: the recorded answers, the oddities, and editorial notices."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from cmtui.bibliography.metadata import validate_item
from cmtui.errors import InvalidMetadata, ProviderMalformed
from cmtui.model.bibliography import NoticeKind
from cmtui.scholarly import crossref, datacite
from cmtui.scholarly.work import Work, csl_item, notice_kind

RECORDED = Path(__file__).resolve().parents[4] / "shared" / "data" / "providers"
MANIFEST = RECORDED / "manifest.tsv"


def recorded() -> list[Any]:
    """(file, expected) of every recorded Crossref and doi.org answer."""
    if not MANIFEST.exists():
        return [pytest.param("", "", marks=pytest.mark.skip(reason="no recorded provider answers here"))]
    csv.field_size_limit(10**8)
    with MANIFEST.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return [
        pytest.param(row["file"], row["expected_normalised_json"], id=row["file"])
        for row in rows
        if row["file"].startswith(("crossref/", "doi/"))
    ]


def records_of(file: str) -> list[dict[str, Any]]:
    """The works of a recorded answer, in their order."""
    answer = json.loads((RECORDED / file).read_text("utf-8"))
    body = answer["body"]
    if answer["status"] != 200 or not isinstance(body, dict):
        return []
    message = body.get("message", body)
    return list(message["items"]) if "items" in message else [message]


@pytest.mark.parametrize(("file", "expected"), recorded())
def test_recorded_answers_give_the_right_values(file: str, expected: str) -> None:
    wanted = json.loads(expected)
    works = [crossref.work_of(record) for record in records_of(file)]
    got = [
        {
            "title": work.title,
            "authors": list(work.authors),
            "year": work.year,
            "doi": work.doi,
            "url": work.url,
            "abstract_start": work.abstract[:80] if work.abstract else None,
            "type": work.type,
        }
        for work in works
    ]
    assert got[: len(wanted)] == [{**made, **right} for made, right in zip(got, wanted, strict=False)]
    assert len(got) >= len(wanted)
    for work in works:
        if work.title is None:
            with pytest.raises(InvalidMetadata):
                csl_item(work)
        else:
            item = csl_item(work)
            assert validate_item(item) == item


def record(**fields: Any) -> dict[str, Any]:
    return {"DOI": "10.5555/W", "type": "journal-article", "title": ["On whales"], **fields}


def item_of(**fields: Any) -> dict[str, Any]:
    return csl_item(crossref.work_of(record(**fields)))


def test_a_crossref_record_becomes_csl_json() -> None:
    item = item_of(
        subtitle=["A <i>short</i> history"],
        author=[{"given": "Ada", "family": "Lovelace"}, {"name": "Whale Group"}, {"sequence": "additional"}],
        editor=[{"family": "Ed", "given": "I."}],
        issued={"date-parts": [[2020, 5]]},
        volume="3",
        issue="2",
        page="1–9",
        ISSN=["1234-5678", "8765-4321"],
        publisher="Sea &amp; Co",
        **{"container-title": ["Journal of Seas", "J. Seas"], "short-container-title": ["J Sea"]},
    )
    assert item == {
        "type": "article-journal",
        "title": "On whales: A <i>short</i> history",
        "author": [{"family": "Lovelace", "given": "Ada"}, {"literal": "Whale Group"}],
        "editor": [{"family": "Ed", "given": "I."}],
        "issued": {"date-parts": [[2020, 5]]},
        "container-title": "Journal of Seas",
        "container-title-short": "J Sea",
        "volume": "3",
        "issue": "2",
        "page": "1–9",
        "publisher": "Sea & Co",
        "ISSN": "1234-5678",
        "DOI": "10.5555/w",
    }


@pytest.mark.parametrize(
    ("kind", "csl"),
    [
        ("journal-article", "article-journal"),
        ("proceedings-article", "paper-conference"),
        ("book-chapter", "chapter"),
        ("posted-content", "article"),
        ("dissertation", "thesis"),
        ("report", "report"),
        ("reference-entry", "entry"),
        ("dataset", "dataset"),
        ("monograph", "book"),
        ("edited-book", "book"),
        ("something-new", "document"),
        (None, "document"),
    ],
)
def test_types(kind: str | None, csl: str) -> None:
    assert item_of(type=kind)["type"] == csl


@pytest.mark.parametrize("kind", ["component", "journal", "journal-issue"])
def test_what_is_never_cited_is_refused(kind: str) -> None:
    with pytest.raises(InvalidMetadata) as caught:
        item_of(type=kind)
    assert caught.value.hint


@pytest.mark.parametrize("title", [None, [], [""], ["<i></i>"]])
def test_a_record_without_a_title_is_refused(title: Any) -> None:
    """R102: no title is invented."""
    with pytest.raises(InvalidMetadata):
        item_of(title=title)


def test_a_preprint_and_a_thesis_name_their_place() -> None:
    preprint = item_of(type="posted-content", institution=[{"name": "bioRxiv"}], publisher="CSHL")
    assert (preprint["publisher"], preprint["genre"]) == ("bioRxiv", "Preprint")
    thesis = item_of(type="dissertation", institution=[{"name": "Univ. of X"}], degree=["PhD"])
    assert (thesis["publisher"], thesis["genre"]) == ("Univ. of X", "PhD")


@pytest.mark.parametrize(
    ("dates", "issued"),
    [
        ({"issued": {"date-parts": [[2020]]}}, [2020]),
        ({"issued": {"date-parts": [[None]]}}, None),
        ({"issued": {"date-parts": [[]]}}, None),
        ({"issued": {"date-parts": []}}, None),
        ({"issued": None, "approved": {"date-parts": [[2012, 6]]}}, [2012, 6]),
        (
            {"issued": {"date-parts": [[None]]}, "published-online": {"date-parts": [[2011, 2, 30]]}},
            [2011, 2],
        ),
        ({"created": {"date-parts": [[2019]]}, "deposited": {"date-parts": [[2019]]}}, None),
        ({"issued": {"date-parts": [[20]]}}, None),
        ({"issued": {"date-parts": [["2020", "13"]]}}, [2020]),
    ],
)
def test_the_year_is_that_of_the_version_of_record(dates: dict[str, Any], issued: list[int] | None) -> None:
    """R102: never from ``created``, ``deposited`` or ``indexed``."""
    item = item_of(**dates)
    assert item.get("issued") == (None if issued is None else {"date-parts": [issued]})


@pytest.mark.parametrize("subtitle", ["On Whales", "whales"])
def test_a_subtitle_that_the_title_holds_is_not_repeated(subtitle: str) -> None:
    assert item_of(subtitle=[subtitle])["title"] == "On whales"


@pytest.mark.parametrize(
    "body", [{}, {"status": "ok"}, {"status": "ok", "message": []}, {"status": "failed", "message": {}}]
)
def test_an_answer_without_a_record_is_malformed(body: dict[str, Any]) -> None:
    with pytest.raises(ProviderMalformed):
        crossref.message_of(body)


@pytest.mark.parametrize("broken", [{"DOI": None}, {"DOI": "x"}, {"author": "Ada"}, {"author": ["Ada"]}])
def test_a_broken_frame_is_malformed(broken: dict[str, Any]) -> None:
    with pytest.raises(ProviderMalformed):
        crossref.work_of(record(**broken))


# -- editorial notices -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("retraction", NoticeKind.RETRACTION),
        ("withdrawal", NoticeKind.RETRACTION),
        ("removal", NoticeKind.RETRACTION),
        ("partial_retraction", NoticeKind.RETRACTION),
        ("expression_of_concern", NoticeKind.CONCERN),
        ("expression-of-concern", NoticeKind.CONCERN),
        ("Expression of Concern", NoticeKind.CONCERN),
        ("erratum", NoticeKind.CORRECTION),
        ("corrigendum", NoticeKind.CORRECTION),
        ("correction", NoticeKind.CORRECTION),
        ("addendum", NoticeKind.CORRECTION),
        ("clarification", NoticeKind.CORRECTION),
        ("new_version", None),
        ("new_edition", None),
        ("comment", None),
        (None, None),
    ],
)
def test_three_states_are_kept_apart(word: Any, kind: NoticeKind | None) -> None:
    """An erratum or an expression of concern must never pass for a retraction."""
    assert notice_kind(word) is kind


def update(doi: str, kind: str, label: str = "", source: str = "publisher") -> dict[str, Any]:
    return {
        "DOI": doi,
        "type": kind,
        "label": label or kind.capitalize(),
        "source": source,
        "updated": {"date-parts": [[2021, 3, 1]]},
    }


def test_a_work_that_was_updated_by_notices() -> None:
    work = crossref.work_of(
        record(
            **{
                "updated-by": [
                    update("10.5555/R", "retraction", source="retraction-watch"),
                    update("10.5555/R", "retraction"),
                    update("10.5555/C", "expression_of_concern", "Expression of concern"),
                    update("10.5555/E", "erratum"),
                    update("10.5555/V", "new_version"),
                ]
            }
        )
    )
    assert [(n.kind.value, n.work_doi, n.notice_doi, n.date) for n in work.notices] == [
        ("retraction", "10.5555/w", "10.5555/r", "2021-03-01"),
        ("expression-of-concern", "10.5555/w", "10.5555/c", "2021-03-01"),
        ("correction", "10.5555/w", "10.5555/e", "2021-03-01"),
    ]
    assert work.notices[0].asserted_by == "retraction-watch"


def test_a_record_that_is_itself_the_notice() -> None:
    """``update-to`` speaks of the other work: the notice is not itself retracted."""
    work = crossref.work_of(record(**{"update-to": [update("10.5555/OLD", "retraction")]}))
    [notice] = work.notices
    assert (notice.work_doi, notice.notice_doi) == ("10.5555/old", "10.5555/w")


def test_a_work_that_was_withdrawn_in_place() -> None:
    work = crossref.work_of(record(**{"update-to": [update("10.5555/W", "withdrawal")]}))
    [notice] = work.notices
    assert (notice.kind, notice.work_doi, notice.notice_doi) == (
        NoticeKind.RETRACTION,
        "10.5555/w",
        "10.5555/w",
    )


# -- DataCite ----------------------------------------------------------------------------------------


def data(**attributes: Any) -> dict[str, Any]:
    return {"data": {"id": "10.5555/D", "type": "dois", "attributes": {"doi": "10.5555/D", **attributes}}}


def test_a_datacite_record_becomes_csl_json() -> None:
    work: Work = datacite.work_of(
        data(
            titles=[{"title": "Depths", "titleType": None}, {"title": "of the sea", "titleType": "Subtitle"}],
            creators=[
                {
                    "name": "Lovelace, Ada",
                    "nameType": "Personal",
                    "givenName": "Ada",
                    "familyName": "Lovelace",
                },
                {"name": "Sea Institute", "nameType": "Organizational"},
            ],
            publisher={"name": "Zenodo"},
            publicationYear=2021,
            dates=[{"date": "2021-04-02", "dateType": "Issued"}, {"date": "2019", "dateType": "Created"}],
            types={"resourceTypeGeneral": "Dataset", "citeproc": "dataset"},
            version="1.2",
            descriptions=[{"description": "<p>Deep.</p>", "descriptionType": "Abstract"}],
        )
    )
    assert work.abstract == "Deep."
    item = csl_item(work)
    assert item == {
        "type": "dataset",
        "title": "Depths: of the sea",
        "author": [{"family": "Lovelace", "given": "Ada"}, {"literal": "Sea Institute"}],
        "issued": {"date-parts": [[2021, 4, 2]]},
        "publisher": "Zenodo",
        "version": "1.2",
        "DOI": "10.5555/d",
    }
    assert validate_item(item) == item


def test_a_preprint_at_datacite() -> None:
    attributes = {
        "titles": [{"title": "T"}],
        "publisher": "arXiv",
        "publicationYear": 2020,
        "dates": [{"date": "2018-01-01", "dateType": "Issued"}],
        "types": {"resourceTypeGeneral": "Preprint"},
        "relatedIdentifiers": [{"relatedIdentifier": "10.5555/P", "relationType": "IsVersionOf"}],
    }
    work = datacite.work_of({"data": {"attributes": attributes | {"doi": "10.48550/arXiv.2006.1"}}})
    item = csl_item(work)
    assert (item["type"], item["genre"], item["publisher"]) == ("article", "Preprint", "arXiv")
    assert item["issued"] == {"date-parts": [[2020]]}
    assert work.published_as == "10.5555/p"
    assert datacite.work_of(data(**attributes)).published_as is None


def test_a_withdrawn_data_set() -> None:
    work = datacite.work_of(
        data(titles=[{"title": "T"}], dates=[{"date": "2022-01", "dateType": "Withdrawn"}])
    )
    [notice] = work.notices
    assert (notice.kind, notice.date) == (NoticeKind.RETRACTION, "2022-01")


@pytest.mark.parametrize(
    "body", [{}, {"data": []}, {"data": {"attributes": {}}}, {"errors": [{"status": "404"}]}]
)
def test_a_datacite_answer_without_a_record_is_malformed(body: dict[str, Any]) -> None:
    with pytest.raises(ProviderMalformed):
        datacite.work_of(body)
