"""The action registry: every key of the application, once.

Bindings, footer, help, command palette, key files and the tests are made from this table, so what is shown is
what works. A scope is the screen an action belongs to; ``everywhere`` belongs to the application and ``list``
to every list. An action is ``action_<name>`` there, and ``check_action`` says whether it applies now.

Keys are plain letters in lists, function keys in the form screen. Control keys that terminals, tmux, screen,
zellij or shells take for themselves are never a default (FORBIDDEN; tui.md 2.2). No user interface is loaded
here, so that the command line prints the same table.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Keys a terminal cannot tell from others, or that multiplexers and shells take.
FORBIDDEN = frozenset(f"ctrl+{key}" for key in (*"abhijmnsotgzcd", "slash", "space", "at", "underscore"))

EVERYWHERE = "everywhere"
LISTS = "list"
PANES = "pane"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do.

    ``id`` is ``scope.name``. ``keys`` are Textual key names, first the one that is shown; ``shown`` is how
    they are printed. ``label`` is the word in the footer; a ``priority`` of 0 keeps an action out of the
    footer, otherwise the smallest stands first. ``group`` is the heading in the help.
    """

    id: str
    keys: tuple[str, ...]
    shown: str
    label: str
    description: str
    tooltip: str
    group: str
    priority: int = 0

    @property
    def scope(self) -> str:
        """The screen the action belongs to."""
        return self.id.partition(".")[0]

    @property
    def name(self) -> str:
        """The part of the id that names the method: ``action_<name>``."""
        return self.id.partition(".")[2]


def _action(
    id_: str,
    keys: str,
    label: str,
    description: str,
    tooltip: str,
    *,
    group: str,
    priority: int = 0,
    shown: str = "",
) -> Action:
    names = tuple(keys.split())
    return Action(id_, names, shown or names[0], label, description, tooltip, group, priority)


# fmt: off
ACTIONS: tuple[Action, ...] = (
    # -- everywhere ------------------------------------------------------------------------------
    _action("everywhere.library", "1", "Library", "Library", "The sources of this store", group="Screens"),
    _action("everywhere.search", "2", "Search", "Search", "Find passages in the sources", group="Screens"),
    _action("everywhere.review", "3", "Review", "Review", "Judge the findings of claims", group="Screens"),
    _action("everywhere.cite", "4", "Cite", "Cite", "Bibliography and citations", group="Screens"),
    _action("everywhere.acquire", "5", "Acquire", "Acquire", "Find and capture sources outside",
            group="Screens"),
    _action("everywhere.audit", "6", "Audit", "Audit", "What happened, and whether all of it still holds",
            group="Screens"),
    _action("everywhere.help", "question_mark f1", "Help", "this help", "Every key of this screen",
            group="Everywhere", priority=90, shown="?"),
    _action("everywhere.jump", "g", "Jump", "jump: letters on every pane", "A letter moves the focus there",
            group="Everywhere"),
    _action("everywhere.palette", "ctrl+p colon", "Commands", "command palette",
            "Search every command by name", group="Everywhere", shown="ctrl+p :"),
    _action("everywhere.copy_selection", "ctrl+c", "Copy", "copy the selected text",
            "Copies what was selected with the mouse, else says how to quit", group="Everywhere"),
    _action("everywhere.quit", "q ctrl+q", "Quit", "quit", "Leave; everything is saved",
            group="Everywhere"),
    # -- panes -----------------------------------------------------------------------------------
    _action("pane.next", "tab l", "Next pane", "next pane", "In a narrow terminal it takes the screen",
            group="Panes"),
    _action("pane.previous", "shift+tab h", "Pane back", "previous pane", "The pane before", group="Panes",
            shown="shift+tab"),
    # -- lists -----------------------------------------------------------------------------------
    _action("list.down", "down j", "Down", "next row", "The rest of the screen follows", group="Lists",
            shown="↓ j"),
    _action("list.up", "up k", "Up", "previous row", "The rest of the screen follows", group="Lists",
            shown="↑ k"),
    _action("list.page_down", "pagedown", "Page down", "page down", "As many rows as are shown",
            group="Lists", shown="pgdn"),
    _action("list.page_up", "pageup", "Page up", "page up", "As many rows as are shown", group="Lists",
            shown="pgup"),
    _action("list.first", "home", "First", "first row", "The top of the list", group="Lists"),
    _action("list.last", "end", "Last", "last row", "The end of the list", group="Lists"),
    # -- library ---------------------------------------------------------------------------------
    _action("library.add", "a", "Add", "add a file or folder", "Ingest PDF, EPUB, Markdown or text",
            group="Sources", priority=1),
    _action("library.open", "enter", "Open", "open the source", "Read its canonical text full screen",
            group="Sources", priority=2),
    _action("library.edit", "e", "Cite", "edit its bibliography", "Open it in Cite", group="Sources",
            priority=3),
    _action("library.find", "f", "Evidence", "find evidence in this source",
            "State a claim and check it against this source alone", group="Sources", priority=4),
    _action("library.filter", "slash", "Filter", "filter the list", "Words, tag:x, kind:pdf, status:ok",
            group="List", priority=5, shown="/"),
    _action("library.sort", "s", "Sort", "sort the list", "By title, author, year, kind or date added",
            group="List", priority=6),
    _action("library.verify", "v", "Verify", "verify this source",
            "Recompute the hashes of its evidence, bytes and text", group="Integrity", priority=7),
    _action("library.verify_all", "V", "Verify all", "verify every source", "The same for the whole store",
            group="Integrity"),
    _action("library.read_again", "R", "Reread", "read again with another reader",
            "A PDF, with pypdf or pdfium, when its text came out badly", group="Sources", priority=8),
    _action("library.original", "O", "Original", "open the original file", "In the system's viewer",
            group="Sources", priority=9),
    _action("library.tag", "t", "Tag", "tags of the source", "Words; the filter and the search know them",
            group="Sources", priority=11),
    _action("library.remove", "D", "Remove", "remove the source",
            "Confirmed by typing; decisions on it are kept", group="Sources", priority=10),
    _action("library.stores", "S", "Stores", "open another store", "Those opened before, or a path",
            group="Stores", priority=13),
    _action("library.jobs", "J", "Jobs", "jobs", "What is running; x cancels", group="Sources", priority=12),
    # -- search ----------------------------------------------------------------------------------
    _action("search.open", "enter", "Open", "open the source at the passage", "Full screen", group="Hits",
            priority=1),
    _action("search.mode", "m", "Mode", "lexical, semantic, hybrid", "Changes how passages are found",
            group="Query", priority=2),
    _action("search.next_match", "n", "Next match", "next match in the passage view",
            "Matches of the query", group="Hits", priority=3),
    _action("search.previous_match", "N", "Previous match", "previous match", "Matches of the query",
            group="Hits"),
    _action("search.claim", "c", "Make claim", "make a claim from the query",
            "Adds it and evaluates it against the store", group="Hits", priority=4),
    _action("search.quote", "y", "Copy quote", "copy the passage", "Verified, then copied exactly",
            group="Copy", priority=5),
    _action("search.citation", "Y", "Copy citation", "copy the citation", "In the current style",
            group="Copy", priority=6),
    _action("search.query", "slash", "Query", "edit the query", "enter runs it, esc goes back",
            group="Query", priority=7, shown="/"),
    _action("search.tag", "T", "Tag", "search the sources of a tag", "Again: all sources", group="Query"),
    _action("search.cancel", "x", "Cancel", "cancel the search", "The hits before stay", group="Query",
            priority=1),
    _action("search.restrict", "F", "This source", "restrict to this source", "Again: all sources",
            group="Query", priority=8),
    # -- review ----------------------------------------------------------------------------------
    _action("review.accept", "a", "Accept", "accept the finding", "The span is verified again first",
            group="Decide", priority=1),
    _action("review.reject", "x", "Reject", "reject the finding", "A digit may add the reason",
            group="Decide", priority=2),
    _action("review.skip", "space", "Skip", "skip, decide later", "Moves to the next undecided",
            group="Decide", priority=3),
    _action("review.undo", "u", "Undo", "undo", "The newest decision, note or tag", group="Decide",
            priority=4),
    _action("review.redo", "U", "Redo", "redo", "What was undone last", group="Decide"),
    _action("review.copy", "y", "Copy…", "copy…",
            "y quote, q with citation, c citation, t in the text, b BibTeX, m Markdown, i id", group="Copy",
            priority=5),
    _action("review.note", "n", "Note", "note", "Text of your own beside the finding", group="Annotate",
            priority=6),
    _action("review.tag", "t", "Tag", "tags", "Words separated by blanks", group="Annotate", priority=7),
    _action("review.source", "o enter", "Source", "open the source at the span", "Full screen",
            group="Read", priority=8, shown="o"),
    _action("review.widen", "right_square_bracket", "More", "more context",
            "Shows more passages around it", group="Read", priority=9, shown="]"),
    _action("review.narrow", "left_square_bracket", "Less", "less context", "Shows fewer passages",
            group="Read", shown="["),
    _action("review.down", "j", "Next", "next finding", "The context follows", group="Move", shown="j ↓"),
    _action("review.up", "k", "Previous", "previous finding", "The context follows", group="Move",
            shown="k ↑"),
    _action("review.next_claim", "J", "Next claim", "next claim", "Goes to its findings", group="Move"),
    _action("review.previous_claim", "K", "Previous claim", "previous claim", "Goes to its findings",
            group="Move"),
    _action("review.previous_undecided", "p", "Prev. undecided", "previous undecided finding",
            "Over all claims", group="Move"),
    _action("review.filter", "full_stop", "Filter", "filter: all, undecided, accepted, …",
            "Each press takes the next", group="Move", shown="."),
    _action("review.find", "f", "Find", "filter: type it", "rel:con conf:>.8 tag:primary source:voyage",
            group="Move"),
    _action("review.range", "v", "Range", "mark a range", "Then a, x, space or t act on all of it",
            group="Decide", priority=12),
    _action("review.unmark", "escape", "End range", "end the range", "Nothing is decided", group="Decide",
            priority=1, shown="esc"),
    _action("review.adjust", "s", "Span", "adjust the span",
            "By words, sentences, characters or the mouse; verified again", group="Annotate", priority=13),
    _action("review.newer", "A", "Newer", "accept it in the newer version",
            "Where the same text stands there; the old finding stays", group="Decide", priority=2),
    _action("review.sum", "equals_sign", "Summary", "what was decided so far", "By claim and relation",
            group="Decide", shown="="),
    _action("review.export", "E", "Export", "export or import decisions",
            "JSONL, CSV, Markdown, W3C annotations, BibTeX, RIS, CSL-JSON, bundle", group="Share",
            priority=14),
    _action("review.blind", "B", "Blind", "show or hide what others decided", "Hidden until you look",
            group="Share"),
    _action("review.compare", "D", "Compare", "compare two reviewers",
            "Agreement, Cohen's kappa, and the conflicts one by one", group="Share"),
    _action("review.details", "i", "Why", "why this relation",
            "Backend, reason code and words that decided", group="Read", priority=11),
    _action("review.claim", "c", "New claim", "new claim", "State it; it is evaluated at once",
            group="Claims", priority=10),
    _action("review.evaluate", "r", "Run again", "run the claim again",
            "Over the sources as they are now; decisions stay", group="Claims"),
    _action("review.relation", "R", "Relation", "your relation", "Kept beside the engine's, never over it",
            group="Annotate"),
    _action("review.edit", "e", "Edit cite", "edit the bibliography", "Opens the source in Cite",
            group="Copy"),
    _action("review.style", "S", "Style", "citation style", "The next of MLA, APA, Chicago, IEEE, BibTeX",
            group="Copy"),
    # -- cite ------------------------------------------------------------------------------------
    _action("cite.next_field", "tab", "Next field", "next field", "shift+tab goes back", group="Form",
            priority=1, shown="tab"),
    _action("cite.save", "f2", "Save", "save the metadata", "Validated first; no evidence id changes",
            group="Form", priority=2),
    _action("cite.revert", "escape", "Revert", "revert, or leave the form",
            "Asks when something was changed", group="Form", priority=3, shown="esc"),
    _action("cite.style", "f3", "Style", "citation style", "The next style is the current one",
            group="Cite", priority=6),
    _action("cite.form", "f6", "Form", "reference, inline or footnote", "The form that the preview shows",
            group="Cite", priority=8),
    _action("cite.copy", "f4", "Copy…", "copy the citation…",
            "In any style and form: plain, Markdown, HTML, RTF, BibTeX, CSL-JSON, RIS", group="Cite",
            priority=5),
    _action("cite.lookup", "f5", "Look up DOI", "look the DOI up",
            "Asks Crossref, then DataCite; you accept field by field", group="Fill in", priority=7),
    _action("cite.take", "f7", "Take", "take what the file says into this field",
            "It stands below the field with its origin; again takes the next", group="Fill in", priority=4),
    _action("cite.paste", "f8", "Paste", "paste a BibTeX, RIS or CSL-JSON entry",
            "You accept it field by field", group="Fill in", priority=9),
    _action("cite.history", "f9", "History", "earlier items, and back to one",
            "Each with what differs from now", group="Form", priority=10),
    _action("cite.name_add", "a", "Add name", "add a name after this one",
            "At the start of a name's line; in its parts enter adds one", group="Names", priority=1),
    _action("cite.name_drop", "x delete", "Remove", "remove this name", "Nothing is stored until f2",
            group="Names", priority=1, shown="x"),
    _action("cite.name_turn", "o", "pers/org", "person or organisation",
            "A single name is parted at its comma or before its last word", group="Names", priority=1),
    _action("cite.name_up", "K", "Up", "move this name up", "The order of names is part of the citation",
            group="Names", priority=1),
    _action("cite.name_down", "J", "Down", "move this name down",
            "The order of names is part of the citation", group="Names", priority=1),
    _action("cite.same", "d", "Same work", "go to the source that looks like the same work",
            "They are shown, never merged", group="Sources", priority=1),
    # -- acquire ---------------------------------------------------------------------------------
    _action("acquire.topic", "slash", "Topic", "type what to look for", "Enter asks the providers",
            group="Ask", priority=1, shown="/"),
    _action("acquire.capture", "enter", "Capture", "capture this candidate",
            "Fetches the address itself, checks it, then ingests it", group="Capture", priority=2),
    _action("acquire.select", "space", "Select", "mark this candidate", "C captures all that are marked",
            group="Capture", priority=3),
    _action("acquire.capture_selected", "C", "Capture selected", "capture what is marked",
            "One after the other; a failure harms no other", group="Capture", priority=4),
    _action("acquire.record", "b", "Record", "make a bibliography entry of it",
            "The record of its DOI from Crossref or DataCite; nothing is guessed", group="Candidate",
            priority=5),
    _action("acquire.rejected", "r", "Rejected", "show what was rejected, with the reasons",
            "The numbers that decided stand below", group="Candidate", priority=6),
    _action("acquire.browse", "o", "URL", "open the address in the browser", "Only web addresses",
            group="Candidate", priority=7),
    _action("acquire.copy", "y", "Copy DOI", "copy the DOI or the address", "Of this candidate",
            group="Candidate", priority=8),
    _action("acquire.rerun", "R", "Rerun", "ask again", "The same topic, with the providers as they are now",
            group="Ask", priority=9),
    _action("acquire.tab", "t", "Tab", "Discover or Section", "Works and pages, or citations for a section",
            group="Ask", priority=10),
    _action("acquire.draft", "f", "Draft", "find literature for the sections of a draft",
            "Each section by itself; nothing is ever invented", group="Ask", priority=10),
    _action("acquire.next_section", "right_square_bracket", "Section", "the next section of the draft",
            "With its own candidates", group="Ask", priority=5, shown="]"),
    _action("acquire.previous_section", "left_square_bracket", "Section before", "the section before",
            "With its own candidates", group="Ask", priority=14, shown="["),
    _action("acquire.providers", "p", "Providers", "turn providers on and off", "For this run of the program",
            group="Providers", priority=11),
    _action("acquire.settings", "P", "Settings", "how the providers are set up",
            "Addresses, deadlines, and whether each key is set", group="Providers", priority=12),
    _action("acquire.cancel", "x", "Cancel", "cancel what is running", "What came by then stays",
            group="Ask", priority=1),
    # -- audit -----------------------------------------------------------------------------------
    _action("audit.open", "enter", "Open", "open the object", "The finding, the source or the claim",
            group="Events", priority=1),
    _action("audit.verify", "v", "Verify", "verify this", "Every layer of it is recomputed now",
            group="Integrity", priority=2),
    _action("audit.verify_all", "V", "Verify all", "verify every source and all evidence",
            "Bytes, text and spans are recomputed, files are hashed", group="Integrity", priority=3),
    _action("audit.cancel", "x", "Cancel", "cancel the verification", "What was verified stays said",
            group="Integrity", priority=1),
    _action("audit.export", "E", "Export", "export the events shown as JSONL", "Oldest first, one a line",
            group="Events", priority=4),
    _action("audit.copy", "y", "Copy id", "copy the full id", "Of the object of this event", group="Events",
            priority=5),
    _action("audit.diff", "d", "Diff", "compare the two newest versions", "Of this event's source",
            group="Events", priority=6),
    _action("audit.filter", "slash", "Filter", "filter the events",
            "event:finding.* actor:any object:7f3a since:today, and words", group="Events", priority=7,
            shown="/"),
    # -- source full screen ------------------------------------------------------------------------
    _action("source.find", "slash", "Find", "find text", "Exact, without regard to case", group="Read",
            priority=2, shown="/"),
    _action("source.next_match", "n", "Next", "next match", "Or the next verified span", group="Read",
            priority=3),
    _action("source.previous_match", "N", "Previous", "previous match", "Or the previous verified span",
            group="Read", priority=4),
    _action("source.quote", "y", "Copy quote", "copy the selection or passage",
            "Verified first; the exact characters of the source", group="Copy", priority=5),
    _action("source.original", "O", "Original", "open the original file at this page",
            "In the system's viewer, where it can be told a page", group="Read", priority=6),
    _action("source.close", "escape backspace", "Close", "back", "To the screen it was opened from",
            group="Read", priority=7, shown="esc"),
    # -- adjusting a span --------------------------------------------------------------------------
    _action("adjust.word_on", "right l", "Word on", "the edge a word on", "Inside the passage",
            group="Edge", priority=2, shown="→"),
    _action("adjust.word_back", "left h", "Word back", "the edge a word back", "Inside the passage",
            group="Edge", priority=3, shown="←"),
    _action("adjust.sentence_on", "down j", "Sentence on", "the edge a sentence on", "Inside the passage",
            group="Edge", priority=5, shown="↓"),
    _action("adjust.sentence_back", "up k", "Sentence back", "the edge a sentence back",
            "Inside the passage", group="Edge", priority=6, shown="↑"),
    _action("adjust.character_on", "shift+right L", "Letter on", "the edge a character on",
            "Inside the passage", group="Edge", priority=8, shown="L"),
    _action("adjust.character_back", "shift+left H", "Letter back", "the edge a character back",
            "Inside the passage", group="Edge", priority=9, shown="H"),
    _action("adjust.edge", "tab", "Other edge", "move the other edge", "Beginning or end", group="Edge",
            priority=4, shown="tab"),
    _action("adjust.passage", "p", "Passage", "the whole passage", "The most that evidence can be",
            group="Edge", priority=10),
    _action("adjust.reset", "r", "Reset", "as it was", "The span of the finding", group="Edge", priority=7),
    _action("adjust.keep", "enter", "Verify", "verify and keep",
            "New evidence of its own; the old finding stays", group="Span", priority=1),
    _action("adjust.close", "escape", "Leave", "leave", "Nothing changes", group="Span", priority=5,
            shown="esc"),
    # -- conflicts ---------------------------------------------------------------------------------
    _action("conflicts.accept", "a", "Accept", "settle it as accepted", "The span is verified again first",
            group="Settle", priority=1),
    _action("conflicts.reject", "x", "Reject", "settle it as rejected", "Recorded as yours, beside theirs",
            group="Settle", priority=2),
    _action("conflicts.note", "n", "Comment", "comment", "Recorded when you settle it", group="Settle",
            priority=5),
    _action("conflicts.undo", "u", "Undo", "undo", "Your newest action", group="Settle", priority=3),
    _action("conflicts.source", "o enter", "Source", "open the source at the span", "Full screen",
            group="Read", priority=6, shown="o"),
    _action("conflicts.close", "escape", "Close", "back", "To the review", group="Read", priority=4,
            shown="esc"),
    # -- welcome -----------------------------------------------------------------------------------
    _action("welcome.sample", "s", "Sample corpus", "try the sample corpus",
            "Ingests it here and opens a prepared claim", group="Begin", priority=1),
    _action("welcome.add", "a", "Add files", "add a file or folder", "PDF, EPUB, Markdown or text",
            group="Begin", priority=2),
    _action("welcome.stores", "S", "Other store", "open another store", "One opened before, or a path",
            group="Begin", priority=3),
    # -- help --------------------------------------------------------------------------------------
    _action("help.close", "escape", "Close", "close the help", "Back to where you were", group="Help",
            priority=1, shown="esc"),
    _action("help.search", "slash", "Search", "search every command", "By words, over all screens",
            group="Help", priority=2, shown="/"),
    _action("help.edit", "e", "Edit keymap", "edit the keymap", "Opens config.yaml in $EDITOR", group="Help",
            priority=3),
    _action("help.text", "p", "Copy as text", "copy every key as text", "The same as: cmtui help keys",
            group="Help", priority=4),
    # -- jobs --------------------------------------------------------------------------------------
    _action("jobs.cancel", "x", "Cancel job", "cancel the job", "Stops cleanly; what is done stays",
            group="Jobs", priority=1),
    _action("jobs.close", "escape", "Close", "close", "The jobs go on", group="Jobs", priority=2,
            shown="esc"),
)
# fmt: on
