"""What every full screen shares: the lines around it, the keys from the registry, and asking the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Label

from cmtui.tui.actions import EVERYWHERE, PANES, Action, bindings
from cmtui.tui.widgets.bars import Header, Keys, Status
from cmtui.tui.workers import Asks

if TYPE_CHECKING:
    from cmtui.engine import CitationMachine
    from cmtui.tui.app import CmtuiApp
    from cmtui.tui.reading import Reader

#: Below this the panes cannot be read: (columns, rows).
SMALLEST = (60, 15)

#: Below this many columns a screen shows its panes one above the other or one at a time.
NARROW = 90

#: Below this many rows previews are left out.
SHORT = 20


class BaseScreen(Asks, Screen[None]):
    """A full screen: header, body, status line, key line."""

    DEFAULT_CSS = """
    BaseScreen { background: $background; color: $foreground; }
    BaseScreen #tiny { display: none; }
    BaseScreen.-tiny > * { display: none; }
    BaseScreen.-tiny > #tiny { display: block; }
    BaseScreen #foot { dock: bottom; height: 2; layout: vertical; }
    BaseScreen .line { height: 1; }
    BaseScreen .line Label { color: $foreground-muted; width: auto; }
    BaseScreen .line Input, BaseScreen .line Input:focus {
        border: none; height: 1; padding: 0; width: 1fr; background: $background;
    }
    BaseScreen .line Input:focus { background: $panel; }
    BaseScreen .pane {
        border: solid $panel-lighten-2; border-title-color: $foreground-muted;
        border-subtitle-color: $foreground-muted; padding: 0 1; height: 1fr; scrollbar-size-vertical: 1;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(PANES)

    #: Screens choose their own focus; the first field of a screen must not catch a key meant for a list.
    AUTO_FOCUS = ""

    #: The scope of the registry this screen's keys come from.
    scope: ClassVar[str] = ""
    #: The mode shown as current; empty where the screen lies over one.
    mode: ClassVar[str] = ""
    #: The panes (selectors) of which a narrow terminal shows one at a time, in the order of tab. A pane may
    #: hold several widgets. Empty: the screen arranges itself.
    panes: ClassVar[tuple[str, ...]] = ()
    #: Below this many columns it does so.
    slides_below: ClassVar[int] = NARROW
    #: Which of them a narrow terminal shows.
    slid: int = 0
    _narrow: bool = False
    #: What had the focus before the terminal became too small to show it.
    _focus_before: Widget | None = None
    #: What had the focus last, by pane.
    _pane_focus: Mapping[int, Widget] = MappingProxyType({})

    @property
    def cmtui(self) -> CmtuiApp:
        """The application."""
        return cast("CmtuiApp", self.app)

    @property
    def machine(self) -> CitationMachine:
        """The engine."""
        return self.cmtui.machine

    @property
    def reader(self) -> Reader:
        """Documents and locators; for worker threads."""
        return self.cmtui.reader

    def body(self) -> Iterable[Widget]:
        """The widgets between header and status line."""
        return ()

    def compose(self) -> ComposeResult:
        """Header, body, status, keys."""
        yield Header(self.mode or self.cmtui.mode_below)
        yield from self.body()
        with Widget(id="foot"):
            yield Status()
            yield Keys(self.cmtui.live_keys.footer(self.scope), self.valid)
        yield Label("", id="tiny", markup=False)

    def valid(self, action: Action) -> bool:
        """Whether an action applies now; the footer shows no other."""
        if action.scope == EVERYWHERE:
            return True
        return self.check_action(action.name, ()) is True

    def ended(self, topic: str, *, answered: bool) -> None:
        """What was running is not: other keys are valid."""
        super().ended(topic, answered=answered)
        self.refresh_keys()

    def refresh_keys(self) -> None:
        """Paint the key line again, after something changed what is valid."""
        for keys in self.query(Keys):
            keys.refresh()

    def say(self, text: str, look: str = "note") -> None:
        """A message in the status line."""
        for status in self.query(Status):
            status.say(text, look)

    def context(self, text: str, short: str = "") -> None:
        """The text at the right of the header, and what stands there when there is no room for it."""
        for header in self.query(Header):
            header.show(text, short)

    def reload(self) -> None:
        """Read again what the screen shows; called when the store may have changed."""

    def on_screen_resume(self) -> None:
        """The screen came to the front: the store may have changed meanwhile."""
        if self.is_mounted:
            self.reload()
        self.refresh_keys()

    def on_resize(self, event: events.Resize) -> None:
        """Choose the arrangement for this size."""
        self._arrange_for(event.size.width, event.size.height)
        self.arranged()

    def arranged(self) -> None:
        """The screen has another size; what is made for a width is made again."""

    def _arrange_for(self, width: int, height: int) -> None:
        tiny = width < SMALLEST[0] or height < SMALLEST[1]
        if tiny and not self.has_class("-tiny"):
            self._focus_before = self.focused
        self.set_class(tiny, "-tiny")
        self._narrow = width < self.slides_below
        self.set_class(width < NARROW, "-narrow")
        self.set_class(height < SHORT, "-short")
        for label in self.query("#tiny").results(Label):
            label.update(f"terminal too small: {width}x{height}, {SMALLEST[0]}x{SMALLEST[1]} needed")
        self._slide()
        if not tiny:
            self.call_after_refresh(self._keep_focus)

    def _keep_focus(self) -> None:
        """What was hidden by a size lost the focus; it gets it back, or the first pane does."""
        if self.focused is not None or not self.is_current:
            return
        before = self._focus_before
        if before is not None and before.is_attached and before.region:
            self.set_focus(before)
        else:
            self.slide_to(self.slid)
            for selector in self.panes:
                pane = self.query(selector).first()
                if self.focused is None and pane.can_focus and pane.region:
                    self.set_focus(pane)

    # -- one pane at a time ---------------------------------------------------------------------------

    @property
    def narrow(self) -> bool:
        """Whether one pane is shown at a time."""
        return bool(self.panes) and self._narrow

    def _slide(self) -> None:
        """Show the pane that was slid to, or all of them where there is room."""
        for number, selector in enumerate(self.panes):
            alone = self.narrow and number == self.slid
            for pane in self.query(selector):
                if self.narrow:
                    pane.styles.display = "block" if alone else "none"
                    pane.styles.width = pane.styles.height = "1fr"
                elif pane.styles.inline.has_rule("display"):
                    for rule in ("display", "width", "height"):
                        pane.styles.inline.clear_rule(rule)
                    pane.refresh(layout=True)
        for status in self.query(Status):
            status.place = f"pane {self.slid + 1}/{len(self.panes)}  tab" if self.narrow else ""
            status.refresh()

    def slide_to(self, number: int) -> None:
        """Give a narrow terminal to this pane, with the focus in it."""
        if not self.panes:
            return
        self.slid = number % len(self.panes)
        self._slide()
        self.call_after_refresh(self.arranged)
        if self.narrow:
            pane = self.query(self.panes[self.slid]).first()
            before = self._pane_focus.get(self.slid)
            inside = [
                *([before] if before is not None and before.is_attached else []),
                pane,
                *pane.query("*"),
            ]
            self.set_focus(next((widget for widget in inside if widget.can_focus and widget.display), None))
            self.refresh_keys()

    def action_next(self) -> None:
        """The next pane."""
        if self.narrow:
            self.slide_to(self.slid + 1)
        else:
            self.focus_next()

    def action_previous(self) -> None:
        """The pane before."""
        if self.narrow:
            self.slide_to(self.slid - 1)
        else:
            self.focus_previous()

    def show_pane_of(self, widget: Widget | None) -> None:
        """In a narrow terminal, slide to the pane that holds ``widget``."""
        for number, selector in enumerate(self.panes):
            if self.narrow and number != self.slid and widget is not None:
                found = self.query(selector)
                if any(pane in widget.ancestors_with_self for pane in found):
                    self.slide_to(number)

    @on(events.DescendantFocus)
    def _remember_focus(self, event: events.DescendantFocus) -> None:
        """A pane that is slid to gets the focus back where it was."""
        for number, selector in enumerate(self.panes):
            if any(pane in event.widget.ancestors_with_self for pane in self.query(selector)):
                self._pane_focus = {**self._pane_focus, number: event.widget}

    def on_descendant_focus(self) -> None:
        """Which actions apply may depend on the focus."""
        self.refresh_keys()

    @property
    def typing(self) -> bool:
        """Whether a text field has the focus."""
        return isinstance(self.focused, Input)
