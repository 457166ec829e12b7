"""Search: find passages, see them in their place, and make claims or quotes of them."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, Label

from cmtui.model.retrieval import RetrievalMode, SearchResponse, SearchResult
from cmtui.model.selectors import Span
from cmtui.tui.actions import bindings
from cmtui.tui.labels import STYLE, place, plural
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.dialogs import Choice, MenuScreen
from cmtui.tui.widgets.row_list import Column, Row, RowList
from cmtui.tui.widgets.source_view import Labels, SourceView, match
from cmtui.tui.workers import Call

MODES = (RetrievalMode.LEXICAL, RetrievalMode.SEMANTIC, RetrievalMode.HYBRID)

#: Hits asked for.
LIMIT = 50

#: Code points of a snippet.
SNIPPET = 120

#: Actions that need a hit under the cursor.
NEEDS_HIT = frozenset({"open", "next_match", "previous_match", "quote", "citation"})


@dataclass(frozen=True)
class Answer:
    """The hits of a query, with the names of their sources."""

    response: SearchResponse
    names: dict[str, str]


@dataclass(frozen=True)
class Context:
    """The text around a hit."""

    text: str
    window: Span
    labels: Labels


class SearchScreen(BaseScreen):
    """Query above, hits at the left, the passage in its source at the right."""

    scope = "search"
    mode = "search"
    panes = ("#hits", "#context")
    BINDINGS: ClassVar[list[BindingType]] = bindings("search")
    CSS = """
    SearchScreen #hits { width: 54%; }
    SearchScreen #context { width: 1fr; }
    SearchScreen #modes, SearchScreen #count { padding: 0 1; }
    SearchScreen #scope { width: 1fr; }
    SearchScreen.-short #context { display: none; }
    SearchScreen.-short #hits { width: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.retrieval = RetrievalMode.HYBRID
        self.results: Sequence[SearchResult] = ()
        self.names: dict[str, str] = {}
        self.only: str | None = None
        self.tag: str | None = None
        self.ran = ""

    def body(self) -> Iterable[Widget]:
        """Query line, scope line, two panes."""
        with Horizontal(classes="line"):
            yield Label(" Query ▏")
            yield Input(id="query")
            yield Label("", id="modes", markup=False)
        with Horizontal(classes="line"):
            yield Label("", id="scope", markup=False)
            yield Label("", id="count", markup=False)
        with Horizontal(id="panes"):
            yield RowList(
                [
                    Column("#", 3, "right"),
                    Column("lex", 3, "right", above=44),
                    Column("sem", 3, "right", above=44),
                    Column("score", 6, "right", above=50),
                    Column("Source"),
                    Column("Where", 12),
                ],
                title="Hits",
                row_height=2,
                position="",
                empty="Press / and type a query.\n\nm changes how passages are found.",
                id="hits",
            )
            yield SourceView(title="Passage", id="context")

    def on_mount(self) -> None:
        """Letters are keys until / is pressed."""
        self.hits.focus()
        self._show_modes()

    @property
    def hits(self) -> RowList:
        """The hits."""
        return self.query_one("#hits", RowList)

    @property
    def view(self) -> SourceView:
        """The passage."""
        return self.query_one("#context", SourceView)

    @property
    def here(self) -> SearchResult | None:
        """The hit under the cursor."""
        return self.results[self.hits.cursor] if self.hits.cursor < len(self.results) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Most keys need a hit; letters are never keys while the query is typed."""
        if self.typing and action != "query":
            return False
        if action in NEEDS_HIT:
            return self.here is not None
        if action == "restrict":
            return self.here is not None or self.only is not None
        if action == "claim":
            return bool(self.ran)
        if action == "cancel":
            return self.busy("search")
        return super().check_action(action, parameters)

    def reload(self) -> None:
        """Count the passages again."""

        def work(_: Call) -> int:
            return sum(row.passages for row in self.machine.documents() if row.current)

        def then(passages: int) -> None:
            count = plural(passages, "passage")
            self.context(f"{self.cmtui.store_name}  {count}", short=count)

        self.ask("passages", work, then)

    def _show_modes(self) -> None:
        text = " ".join(f"[{mode}]" if mode is self.retrieval else f" {mode} " for mode in MODES)
        self.query_one("#modes", Label).update(f"mode {text}")
        scope = f"tag {self.tag}" if self.tag else "all sources"
        if self.only:
            scope = self.names.get(self.only, "one source")
        self.query_one("#scope", Label).update(f" Scope ▏{scope}   limit {LIMIT}")

    # -- query --------------------------------------------------------------------------------------

    def action_query(self) -> None:
        """Go to the query."""
        self.set_focus(self.query_one("#query", Input))

    @on(Input.Submitted, "#query")
    def _submitted(self, event: Input.Submitted) -> None:
        self.hits.focus()
        self._run(event.value)

    def key_escape(self) -> None:
        """Leave the query."""
        if self.typing:
            self.hits.focus()

    def action_mode(self) -> None:
        """The next way of finding."""
        self.retrieval = MODES[(MODES.index(self.retrieval) + 1) % len(MODES)]
        self._show_modes()
        if self.ran:
            self._run(self.ran)

    def action_restrict(self) -> None:
        """Search this source alone, or all of them again."""
        if self.only is not None:
            self.only = None
        elif self.here is not None:
            self.only = self.here.source_id
        self._show_modes()
        if self.ran:
            self._run(self.ran)

    def action_tag(self) -> None:
        """Search the sources of one tag, or all of them again."""
        if self.tag is not None:
            self._scope_to(None)
            return

        def then(tags: list[str]) -> None:
            if not tags:
                self.say("No source has a tag yet. t in the library sets some.")
                return
            keys = "123456789abcdefghijklmnop"
            choices = [Choice(key, tag, tag) for key, tag in zip(keys, tags, strict=False)]
            self.app.push_screen(MenuScreen("Search the sources of", choices), self._scope_to)

        self.ask("tags", lambda _: sorted({tag for s in self.machine.sources() for tag in s.tags}), then)

    def _scope_to(self, tag: str | None) -> None:
        if tag is None and self.tag is None:
            return
        self.tag = tag
        self._show_modes()
        if self.ran:
            self._run(self.ran)

    def action_cancel(self) -> None:
        """Stop searching; the hits before stay."""
        self.stop("search")
        self.cmtui.working("")
        self.query_one("#count", Label).update("– cancelled")
        self.say("– search cancelled")
        self.call_later(self.refresh_keys)

    def _run(self, query: str) -> None:
        if not query.strip():
            return
        self.ran = query.strip()
        machine, mode, only, tag = self.machine, self.retrieval, self.only, self.tag
        run = {
            RetrievalMode.LEXICAL: machine.search,
            RetrievalMode.SEMANTIC: machine.semantic_search,
            RetrievalMode.HYBRID: machine.hybrid_search,
        }[mode]

        def work(call: Call) -> Answer:
            filters: dict[str, object] | None = {"source_id": only} if only else None
            if tag and not only:
                filters = {"source_id": [s.source_id for s in machine.sources() if tag in s.tags]}
            response = run(
                self.ran, filters=filters, limit=LIMIT, progress=call.progress, cancelled=call.cancelled
            )
            names = {hit.source_id: self.reader.name(hit.document_id) for hit in response}
            return Answer(response, names)

        self.query_one("#count", Label).update("⟳ searching…")
        self.ask("search", work, self._found, failed=self._not_found)
        self.refresh_keys()

    def _not_found(self, error: BaseException) -> None:
        """The query could not be answered: no hits stay that look like its own."""
        self.cmtui.working("")
        self.cmtui.show_error(error, "".join(traceback.format_exception(error)))
        self.results = ()
        self.query_one("#count", Label).update("✘ not answered")
        self.hits.border_title = "Hits"
        self.hits.empty = f"“{self.ran[:40]}” was not answered; the line below says why.\n\n/ changes it."
        self.hits.show([], cursor=0)
        self.view.show("")
        self.view.border_title = "Passage"
        self.refresh_keys()

    def _found(self, answer: Answer) -> None:
        self.cmtui.working("")
        self.results = answer.response.results
        self.names = {**self.names, **answer.names}
        considered = plural(answer.response.considered, "passage")
        hits = plural(len(self.results), "hit")
        self.query_one("#count", Label).update(f"{hits} among {considered}")
        self.hits.border_title = f"Hits {len(self.results)}"
        self.hits.empty = (
            f"No passage matched “{self.ran[:40]}”.\n\nm tries another mode, / another query."
            + ("\nF searches all sources again." if self.only else "")
        )
        self.hits.show([self._row(hit) for hit in self.results], cursor=0)
        if not self.results:
            self.view.show("")
            self.view.border_title = "Passage"
        self.refresh_keys()

    def _row(self, hit: SearchResult) -> Row:
        scores = hit.retrieval

        def rank(value: int | None) -> str:
            return "—" if value is None else str(value)

        name = self.names.get(hit.source_id, "")
        score = f"{scores.score:.4f}".removeprefix("0") if scores.score < 10 else f"{scores.score:.1f}"
        cells = (
            str(hit.rank),
            rank(scores.lexical_rank),
            rank(scores.semantic_rank),
            score,
            name,
            place(hit.locators),
        )
        return Row(cells, (snippet(hit),))

    @on(RowList.Highlighted)
    def _highlighted(self) -> None:
        hit = self.here
        self.refresh_keys()
        if hit is None:
            return

        def work(_: Call) -> Context:
            document = self.reader.document(hit.document_id)
            window = self.reader.window(hit.document_id, hit.span, 3)
            return Context(document.text, window, self.reader.labels(hit.document_id))

        def then(context: Context) -> None:
            view = self.view
            view.border_title = f"{self.names.get(hit.source_id, '')} · {place(hit.locators)}"
            marks = [match(span) for span in hit.retrieval.matches]
            view.show(
                context.text,
                window=context.window,
                marks=marks,
                current=hit.span,
                labels=context.labels,
                at=min(hit.retrieval.matches, default=hit.span).start,
            )
            total = len(context.text)
            self.say(f"chars {hit.span.start:,}–{hit.span.end:,} of {total:,}", "")

        self.ask("context", work, then)

    # -- actions ------------------------------------------------------------------------------------

    def action_open(self) -> None:
        """Read the source at the passage."""
        from cmtui.tui.screens.source import SourceScreen

        hit = self.here
        if hit is not None:
            screen = SourceScreen(hit.document_id, at=hit.span)
            screen.matches = hit.retrieval.matches
            self.app.push_screen(screen)

    @on(RowList.Selected)
    def _selected(self) -> None:
        self.action_open()

    def _step(self, *, forward: bool) -> None:
        hit, view = self.here, self.view
        spans = sorted(hit.retrieval.matches) if hit is not None else []
        if not spans:
            self.say("This passage was found by meaning; none of the words stands in it.")
            return
        now = view.selection.start if view.selection is not None else -1
        if forward:
            target = next((span for span in spans if span.start > now), spans[0])
        else:
            target = next((span for span in reversed(spans) if span.start < now), spans[-1])
        view.select(target)
        view.goto(target)
        self.say(f"match {spans.index(target) + 1}/{len(spans)}  “{view.selected_text}”")

    def action_next_match(self) -> None:
        """Go to the next match in the passage."""
        self._step(forward=True)

    def action_previous_match(self) -> None:
        """Go to the match before."""
        self._step(forward=False)

    def action_claim(self) -> None:
        """Make a claim of the query."""
        from cmtui.tui.screens.dialogs import PromptScreen

        def then(text: str | None) -> None:
            if text and text.strip():
                self.cmtui.make_claim(text.strip())

        self.app.push_screen(PromptScreen("New claim", self.ran), then)

    def action_quote(self) -> None:
        """Verify the passage (or what is selected in it) and copy it."""
        hit = self.here
        if hit is None:
            return
        span = self.view.selection or hit.span

        def then(text: str) -> None:
            self.cmtui.copy(text, "quote (verified)")

        self.ask("quote", lambda _: self.machine.quote_span(hit.document_id, span).text, then)

    def action_citation(self) -> None:
        """Copy the citation of the passage."""
        hit, style = self.here, self.cmtui.style
        if hit is None:
            return

        def work(_: Call) -> str:
            return self.machine.format_citation(hit.source_id, style)

        def then(text: str) -> None:
            self.cmtui.copy(text, f"{STYLE.get(style, style)} citation")

        self.ask("citation", work, then)


def snippet(hit: SearchResult) -> str:
    """One line of the passage around its first match, the matches in their brackets."""
    text, start = hit.text, hit.span.start
    first = hit.retrieval.matches[0].start - start if hit.retrieval.matches else 0
    low = max(0, first - 30)
    if low:
        low = text.find(" ", low) + 1 or low
    high = min(len(text), low + SNIPPET)
    parts, at = [], low
    for span in sorted(hit.retrieval.matches):
        a, b = span.start - start, span.end - start
        if a < at or b > high:
            continue
        parts += [text[at:a], "⟪", text[a:b], "⟫"]
        at = b
    parts.append(text[at:high])
    line = " ".join("".join(parts).split())
    return ("…" if low else "") + line + ("…" if high < len(text) else "")
