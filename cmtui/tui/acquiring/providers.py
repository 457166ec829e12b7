"""How the providers are set up, as text. Of a key it is said whether it is set, and nothing else."""

from __future__ import annotations

from cmtui.config import Settings
from cmtui.config.showing import shown


def settings_text(settings: Settings) -> str:
    """Every setting of providers and sections with its origin, and the keys."""
    body = shown(settings)
    lines = [f"{body['file']}" + ("" if body["exists"] else "  (not there)"), ""]
    lines += [
        f"{row['name']:<36} {row['value']}  ({row['origin']})"
        for row in body["settings"]
        if row["name"].startswith(("providers.", "sections."))
    ]
    lines += ["", *(f"{key['name']:<36} {'set' if key['set'] else 'not set'}" for key in body["secrets"])]
    return "\n".join(lines)
