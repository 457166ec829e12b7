"""One module per verb or small family of verbs; none holds a rule of the engine."""

from cmtui.cli.verbs import (
    acquire,
    bibliography,
    cite,
    claims,
    completion,
    config,
    discover,
    events,
    evidence,
    health,
    housekeeping,
    ingest,
    library,
    lookup,
    quote,
    review,
    search,
    serve,
    versions,
)

#: The families in the order of the help text: the order in which a person meets them.
FAMILIES = (
    ingest,
    library,
    search,
    evidence,
    quote,
    claims,
    review,
    versions,
    bibliography,
    lookup,
    discover,
    acquire,
    cite,
    housekeeping,
    health,
    serve,
    events,
    config,
    completion,
)

__all__ = ["FAMILIES"]
