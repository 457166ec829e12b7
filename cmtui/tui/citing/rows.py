"""The lines of the bibliography form: a text or date, and the names of a role one per line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Label, Static

from cmtui.model.source import MetadataCandidate
from cmtui.tui.citing.naming import NameParts, name_of, parts_of, turned
from cmtui.tui.csl_form import FormField, name_text


class Row(Vertical):
    """A field of the form, with what is wrong with it and what the file says below it."""

    @dataclass
    class Edited(Message):
        """Something was typed."""

        row: Row

    def __init__(self, field: FormField) -> None:
        super().__init__(classes="row")
        self.field = field
        self.offers: tuple[MetadataCandidate, ...] = ()
        self.problem, self.remark = "", ""
        self.label = Label(field.label, classes="label")
        self.below = Static("", classes="below")
        self.below.display = False

    @property
    def variable(self) -> str:
        """The CSL variable."""
        return self.field.variable

    def value(self) -> Any:
        """What stands in the field."""
        raise NotImplementedError

    def fill(self, value: Any) -> None:
        """Show a value, without saying that something was typed."""
        raise NotImplementedError

    async def take(self, candidate: MetadataCandidate) -> None:
        """Put a candidate into the field."""
        raise NotImplementedError

    def name_it(self, label: str) -> None:
        """Show the label."""
        self.label.update(label)

    def focus_field(self) -> None:
        """Go to the field."""
        self.query(Input).first().focus()

    @property
    def next_offer(self) -> MetadataCandidate | None:
        """What ``take`` would be given now: the first candidate that does not stand in the field."""
        value = self.value()
        if isinstance(value, list):
            standing = {name_text(name) for name in value}
            return next((offer for offer in self.offers if offer.value.strip() not in standing), None)
        at = next((n for n, offer in enumerate(self.offers) if offer.value.strip() == value.strip()), None)
        if at is None:
            return self.offers[0] if self.offers else None
        return self.offers[(at + 1) % len(self.offers)] if len(self.offers) > 1 else None

    def refresh_below(self) -> None:
        """Show the reason why it is refused, a remark, and what the file says, if any of them."""
        pieces: list[Content] = []
        if self.problem:
            pieces.append(Content.styled(f"✘ {self.problem}", "$error"))
        elif self.remark:
            pieces.append(Content.styled(f"! {self.remark}", "$warning"))
        offer = self.next_offer
        if offer is not None:
            more = f"  +{len(self.offers) - 1}" if len(self.offers) > 1 else ""
            pieces.append(Content.styled(f"◂ f7 {offer.value}  ({offer.origin}){more}", "$foreground-muted"))
        self.below.display = bool(pieces)
        self.below.update(Content("  ").join(pieces))


class TextRow(Row):
    """A text or a date."""

    def __init__(self, field: FormField, value: str) -> None:
        super().__init__(field)
        self.input = Input(
            value,
            id=f"f-{field.variable}",
            placeholder=f"· {field.hint}" if field.hint else "",
            select_on_focus=False,
        )

    def compose(self) -> ComposeResult:
        """Label and field, and the line below."""
        with Horizontal(classes="field"):
            yield self.label
            yield self.input
        yield self.below

    def value(self) -> str:
        """The text."""
        return self.input.value

    def fill(self, value: Any) -> None:
        """Show a text."""
        with self.input.prevent(Input.Changed):
            self.input.value = str(value)

    async def take(self, candidate: MetadataCandidate) -> None:
        """The candidate in place of the text."""
        self.input.value = candidate.value
        self.input.cursor_position = len(candidate.value)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Edited(self))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.screen.focus_next()


class Handle(Static, can_focus=True):
    """The start of a name's line. While it has the focus, letters act on the name."""


class NameLine(Horizontal):
    """One name: a handle, then family, given, particle and suffix, or the organisation."""

    def __init__(self, before: dict[str, Any], *, organisation: bool = False) -> None:
        super().__init__(classes="name")
        self.before = before
        parts = parts_of(before)
        self.organisation = parts.organisation or organisation
        self.handle = Handle("")
        self.label = Label("", classes="label")
        self.inputs = {
            name: Input(getattr(parts, name), placeholder=hint, classes=name, select_on_focus=False)
            for name, hint in (
                ("family", "· family name"),
                ("given", "· given names"),
                ("particle", "· van"),
                ("suffix", "· Jr"),
            )
        }

    def compose(self) -> ComposeResult:
        """Label, handle and parts."""
        yield self.label
        yield self.handle
        yield from self.inputs.values()

    def on_mount(self) -> None:
        """Show what kind of name it is."""
        self._kind()

    def parts(self) -> NameParts:
        """The parts as typed."""
        typed = {name: field.value.strip() for name, field in self.inputs.items()}
        if self.organisation:
            return NameParts(typed["family"], organisation=True)
        return NameParts(typed["family"], typed["given"], typed["particle"], typed["suffix"])

    def fill(self, before: dict[str, Any]) -> None:
        """Show another name."""
        self.before = before
        self.show(parts_of(before))

    def show(self, parts: NameParts) -> None:
        """Show parts, without saying that something was typed."""
        self.organisation = parts.organisation
        for name, field in self.inputs.items():
            with field.prevent(Input.Changed):
                field.value = getattr(parts, name)
        self._kind()

    def _kind(self) -> None:
        self.handle.update("org" if self.organisation else "pers")
        self.inputs["family"].placeholder = (
            "· organisation, or a name of one part" if self.organisation else "· family name"
        )
        for name in ("given", "particle", "suffix"):
            self.inputs[name].display = not self.organisation


class NamesRow(Row):
    """The names of a role, one per line; with none, one empty line to type in."""

    def __init__(self, field: FormField, names: Sequence[dict[str, Any]]) -> None:
        super().__init__(field)
        self.id = f"f-{field.variable}"
        self.lines = [NameLine(dict(name)) for name in names] or [NameLine({})]
        self._label = field.label

    def compose(self) -> ComposeResult:
        """A line per name, and the line below."""
        yield from self.lines
        yield self.below

    def on_mount(self) -> None:
        """Show the label on the first line."""
        self.name_it(self._label)

    def name_it(self, label: str) -> None:
        """The label stands at the first name; the others have their number."""
        self._label = label
        for number, line in enumerate(self.lines):
            line.label.update(label if not number else f"{number + 1:>9}")

    def value(self) -> list[dict[str, Any]]:
        """The names that are not empty."""
        made = (name_of(line.parts(), line.before) for line in self.lines)
        return [name for name in made if name]

    def fill(self, value: Any) -> None:
        """Show names."""
        names: list[dict[str, Any]] = [dict(name) for name in value] or [{}]
        for line, name in zip(self.lines, names, strict=False):
            line.fill(name)
        for line in self.lines[len(names) :]:
            line.remove()
        self.lines = self.lines[: len(names)]
        added = [NameLine(name) for name in names[len(self.lines) :]]
        if added and self.is_attached:
            self.mount(*added, before=self.below)
        self.lines += added
        self.name_it(self._label)

    def focus_field(self) -> None:
        """Go to the first name."""
        self.lines[0].inputs["family"].focus()

    async def take(self, candidate: MetadataCandidate) -> None:
        """The candidate as one more name. It is not parted: a person does that with the handle's ``o``."""
        line = self.lines[-1] if self.lines[-1].parts().empty else await self.add(self.lines[-1])
        line.show(NameParts(candidate.value.strip(), organisation=True))
        self.screen.set_focus(line.handle)
        self._edited()

    # -- one name ------------------------------------------------------------------------------------

    async def add(self, after: NameLine) -> NameLine:
        """A new empty name after one. It has the focus before the next key arrives."""
        line = NameLine({})
        self.lines.insert(self.lines.index(after) + 1, line)
        await self.mount(line, after=after)
        self.name_it(self._label)
        self.screen.set_focus(line.inputs["family"])
        return line

    def drop(self, line: NameLine) -> None:
        """Take a name away; the last one is emptied."""
        if len(self.lines) == 1:
            line.fill({})
        else:
            at = self.lines.index(line)
            self.lines.remove(line)
            self.screen.set_focus(self.lines[min(at, len(self.lines) - 1)].handle)
            line.remove()
            self.name_it(self._label)
        self._edited()

    def move(self, line: NameLine, by: int) -> None:
        """Change places with the name before or after; the focus stays with the name."""
        at = self.lines.index(line)
        to = at + by
        if not 0 <= to < len(self.lines):
            return
        other = self.lines[to]
        here, there = (line.before, line.parts()), (other.before, other.parts())
        for target, (before, parts) in ((other, here), (line, there)):
            target.before = before
            target.show(parts)
        self.screen.set_focus(other.handle)
        self._edited()

    def turn(self, line: NameLine) -> None:
        """A person as an organisation, or the other way round."""
        line.show(turned(line.parts()))
        self._edited()

    def _edited(self) -> None:
        self.post_message(self.Edited(self))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._edited()

    @on(Input.Submitted)
    async def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        line = event.input.parent
        if isinstance(line, NameLine):
            if line.parts().empty:
                self.screen.focus_next()
            else:
                await self.add(line)


def row_of(widget: Widget | None) -> Row | None:
    """The row that a focused widget belongs to."""
    return next((w for w in widget.ancestors_with_self if isinstance(w, Row)), None) if widget else None
