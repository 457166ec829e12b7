"""Acquire: which providers are set up. Nothing is asked here but on an explicit command."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import ClassVar

from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from cmtui.config import SECRETS
from cmtui.config.showing import shown
from cmtui.model.lookup import ProviderSettings
from cmtui.tui.actions import bindings
from cmtui.tui.screens.base import BaseScreen
from cmtui.tui.screens.dialogs import TextScreen
from cmtui.tui.widgets.row_list import Column, Row, RowList

TEXT = """\
Nothing is asked from this screen: the network is used on explicit commands alone.
What discovery says is a lead, never evidence; only captured, verified bytes are quoted.

  citation-machine discover QUERY      asks the providers above
  citation-machine acquire QUERY       captures what was found
  citation-machine sections run FILE   finds citations for the sections of a document

Keys are read from the environment when a provider is asked, and never shown or stored."""


class AcquireScreen(BaseScreen):
    """The providers with their state, and the words for what can be done."""

    scope = "acquire"
    mode = "acquire"
    panes = ("#providers", "#about")
    BINDINGS: ClassVar[list[BindingType]] = bindings("acquire")
    CSS = """
    AcquireScreen #providers { height: 10; }
    AcquireScreen.-short #about { display: none; }
    AcquireScreen #about:focus { border: heavy $primary; border-title-color: $foreground; }
    AcquireScreen #about Static { height: auto; }
    """

    def body(self) -> Iterable[Widget]:
        """Providers above, words below."""
        yield RowList(
            [Column("", 2), Column("Provider", 18), Column("State", 38), Column("Address", above=80)],
            title="Providers",
            position="",
            id="providers",
        )
        with VerticalScroll(classes="pane", id="about", can_focus=True) as pane:
            pane.border_title = "What can be done"
            yield Static(TEXT, markup=False)

    def on_mount(self) -> None:
        """Keys go to the list."""
        self.query_one(RowList).focus()

    def reload(self) -> None:
        """Look at the settings and the environment again."""
        rows = provider_rows(self.cmtui.settings.providers, os.environ)
        self.query_one(RowList).show(rows)
        ready = sum(1 for row in rows if row.cells[0] == "✔")
        self.context(f"nothing asked · {ready} of {len(rows)} set up", short=f"{ready}/{len(rows)} set up")

    def action_settings(self) -> None:
        """Every provider setting with its origin; of a key only whether it is set."""
        body = shown(self.cmtui.settings)
        lines = [f"{body['file']}" + ("" if body["exists"] else "  (not there)"), ""]
        lines += [
            f"{row['name']:<36} {row['value']}  ({row['origin']})"
            for row in body["settings"]
            if row["name"].startswith(("providers.", "sections."))
        ]
        lines += ["", *(f"{key['name']:<36} {'set' if key['set'] else 'not set'}" for key in body["secrets"])]
        self.app.push_screen(TextScreen("Providers", "\n".join(lines)))


def provider_rows(providers: Mapping[str, ProviderSettings], environ: Mapping[str, str]) -> list[Row]:
    """One row per provider: whether its key is set where it knows one, and where it is asked."""
    keys = {provider: name for name, provider in SECRETS.items()}
    rows = []
    for name, settings in providers.items():
        key = keys.get(name)
        if key is None:
            rows.append(Row(("✔", name, "ready, needs no key", settings.base_url)))
        elif environ.get(key, "").strip():
            rows.append(Row(("✔", name, f"{key} is set", settings.base_url)))
        else:
            rows.append(Row(("–", name, f"{key} is not set", settings.base_url), style="dim"))
    return rows
