"""Undo and redo over any sequence of actions, and logs that fold the same after reloading."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cmtui.model.review import EventDraft, EventType, ReviewState, finding_key, fold
from cmtui.ports import KnowledgeRepository
from cmtui.store.directory import StoreRepository
from cmtui.store.memory import InMemoryKnowledgeRepository

REVIEWER = "Ann"
Action = Callable[[KnowledgeRepository], None]

keys = st.builds(finding_key, st.sampled_from(["c1", "c2"]), st.sampled_from(["e1", "e2", "e3"]))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def payload_of(kind: EventType) -> st.SearchStrategy[dict[str, Any]]:
    match kind:
        case EventType.NOTED:
            return st.fixed_dictionaries({"note": texts})
        case EventType.TAGGED:
            return st.fixed_dictionaries({"tags": st.lists(texts, max_size=3)})
        case EventType.RELATION_SET:
            return st.fixed_dictionaries({"relation": st.sampled_from(["SUPPORTS", "RELATED", None])})
        case _:
            numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers()
            return st.fixed_dictionaries({"reasons": st.lists(texts, max_size=2), "confidence": numbers})


kinds = st.sampled_from(
    [
        EventType.ACCEPTED,
        EventType.REJECTED,
        EventType.SKIPPED,
        EventType.NOTED,
        EventType.TAGGED,
        EventType.RELATION_SET,
    ]
)
drafts = kinds.flatmap(lambda kind: st.builds(EventDraft, st.just(kind), keys, payload_of(kind)))
groups = st.lists(drafts, min_size=1, max_size=4)
#: A group of decisions, or the press of undo or redo.
steps = st.lists(groups | st.sampled_from(["undo", "redo"]), max_size=10)


def state(repository: KnowledgeRepository) -> ReviewState:
    return fold(repository.events(REVIEWER))


def undo(repository: KnowledgeRepository) -> bool:
    undoable = state(repository).undoable
    if undoable:
        repository.append_events(REVIEWER, [EventDraft(EventType.UNDONE, "", undoes=undoable[-1])])
    return bool(undoable)


def redo(repository: KnowledgeRepository) -> bool:
    redoable = state(repository).redoable
    if redoable:
        repository.append_events(REVIEWER, [EventDraft(EventType.REDONE, "", undoes=redoable[-1])])
    return bool(redoable)


def perform(repository: KnowledgeRepository, actions: list[Any]) -> None:
    for action in actions:
        if action == "undo":
            undo(repository)
        elif action == "redo":
            redo(repository)
        else:
            repository.append_events(REVIEWER, action)


@settings(max_examples=25, deadline=None)
@given(steps)
def test_undo_then_redo_restores_the_state(actions: list[Any]) -> None:
    repository = InMemoryKnowledgeRepository()
    perform(repository, actions)
    before = state(repository)
    if undo(repository):
        assert redo(repository)
    after = state(repository)
    assert (after.findings, after.undoable, after.redoable) == (
        before.findings,
        before.undoable,
        before.redoable,
    )


@settings(max_examples=25, deadline=None)
@given(steps)
def test_undoing_everything_and_redoing_everything(actions: list[Any]) -> None:
    repository = InMemoryKnowledgeRepository()
    perform(repository, actions)
    before = state(repository)
    count = 0
    while undo(repository):
        count += 1
    assert count == len(before.undoable)
    assert state(repository).findings == {}
    for _ in range(count):
        assert redo(repository)
    assert state(repository).findings == before.findings


@settings(max_examples=25, deadline=None)
@given(steps, groups)
def test_a_new_action_clears_what_could_be_redone_and_undoes_as_one(
    actions: list[Any], group: list[EventDraft]
) -> None:
    repository = InMemoryKnowledgeRepository()
    perform(repository, actions)
    before = state(repository)
    repository.append_events(REVIEWER, group)
    assert state(repository).redoable == ()
    assert len(state(repository).undoable) == len(before.undoable) + 1
    undo(repository)
    assert state(repository).findings == before.findings


@settings(max_examples=25, deadline=None)
@given(steps)
def test_the_log_only_grows(actions: list[Any]) -> None:
    repository = InMemoryKnowledgeRepository()
    log = repository.events(REVIEWER)
    for action in actions:
        perform(repository, [action])
        grown = repository.events(REVIEWER)
        assert grown[: len(log)] == log
        log = grown


@settings(max_examples=15, deadline=None)
@given(steps)
def test_a_reloaded_log_folds_to_the_same_state(actions: list[Any]) -> None:
    root = Path(tempfile.mkdtemp(prefix="cmtui-"))
    try:
        repository = StoreRepository.open(root / "s")
        perform(repository, actions)
        reloaded = StoreRepository.open(root / "s")
        assert reloaded.events(REVIEWER) == repository.events(REVIEWER)
        assert state(reloaded) == state(repository)
    finally:
        shutil.rmtree(root)


@settings(max_examples=15, deadline=None)
@given(steps, steps)
def test_reviewers_do_not_touch_one_another(mine: list[Any], theirs: list[Any]) -> None:
    repository = InMemoryKnowledgeRepository()
    perform(repository, mine)
    before = state(repository)
    for action in theirs:
        if not isinstance(action, str):
            repository.append_events("Bob", action)
    assert state(repository) == before
