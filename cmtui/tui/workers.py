"""Engine work in threads, and its answers as messages.

A worker thread never touches a widget: it posts a message, and the screen's own handler acts on it. Every
piece of work belongs to a *topic* of its screen and carries a sequence number; when a newer piece of the same
topic was started, the late answer is dropped. Expected failures (CmtuiError) become a toast with the hint,
anything else a dialog, and neither ends the program.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from textual.dom import DOMNode
from textual.message import Message
from textual.worker import Worker, get_current_worker

from cmtui.errors import Cancelled, CmtuiError
from cmtui.model.progress import Progress

if TYPE_CHECKING:
    from cmtui.tui.app import CmtuiApp

T = TypeVar("T")

#: Seconds between two progress messages of one piece of work.
PROGRESS_EVERY = 0.05


@dataclass
class Call:
    """What a piece of work may use while it runs: how to report, and whether to stop."""

    post: Callable[[Progress], None]
    worker: Worker[Any] | None = None
    _last: float = field(default=0.0, repr=False)

    def progress(self, progress: Progress) -> None:
        """Report; too frequent reports are thinned, the first and the last never."""
        now = time.monotonic()
        if now - self._last >= PROGRESS_EVERY or progress.done >= progress.total > 0:
            self._last = now
            self.post(progress)

    def cancelled(self) -> bool:
        """Whether the person, or newer work, asked it to stop."""
        return self.worker is not None and self.worker.is_cancelled


@dataclass
class Answer(Message):
    """A piece of work ended: with a value, or with an error."""

    topic: str
    sequence: int
    value: Any = None
    error: BaseException | None = None
    trace: str = ""


@dataclass
class Progressed(Message):
    """A piece of work says how far it is."""

    topic: str
    sequence: int
    progress: Progress


@dataclass
class Ended(Message):
    """A piece of work noticed that it was cancelled, and stopped without an answer."""

    topic: str
    sequence: int


class Asks(DOMNode):
    """A screen (or the application) that asks the engine. Mixed in before the Textual class."""

    #: The topics that are being worked on. A worker is still alive while its answer is handed on, so that it
    #: cannot be asked whether it is busy: keys would then be shown for work that is over.
    _unanswered: set[str]
    _sequences: dict[str, int]
    _then: dict[str, tuple[Callable[[Any], None], Callable[[BaseException], None] | None]]

    def ask(
        self,
        topic: str,
        work: Callable[[Call], T],
        then: Callable[[T], None],
        *,
        failed: Callable[[BaseException], None] | None = None,
        exclusive: bool = True,
    ) -> None:
        """Run ``work`` in a thread; ``then`` gets its value on this node, unless newer work replaced it.

        ``failed`` is called instead of the toast or dialog. ``exclusive`` cancels older work of the topic.
        """
        if "_sequences" not in self.__dict__:
            self._sequences, self._then, self._unanswered = {}, {}, set()
        sequence = self._sequences.get(topic, 0) + 1
        self._sequences[topic] = sequence
        self._then[topic] = (cast("Callable[[Any], None]", then), failed)
        self._unanswered.add(topic)
        self.run_worker(
            partial(self._work, topic, sequence, work),
            name=topic,
            group=topic,
            exclusive=exclusive,
            exit_on_error=False,
            thread=True,
        )

    def stop(self, topic: str) -> None:
        """Cancel the work of a topic; a late answer is dropped."""
        if "_sequences" in self.__dict__ and topic in self._sequences:
            self._sequences[topic] += 1
            self._unanswered.discard(topic)
            self.workers.cancel_group(self, topic)

    def busy(self, topic: str) -> bool:
        """Whether work of the topic was begun and has neither answered nor stopped."""
        return "_unanswered" in self.__dict__ and topic in self._unanswered

    def _work(self, topic: str, sequence: int, work: Callable[[Call], Any]) -> None:
        """In the thread: do the work and post its answer."""
        call = Call(lambda progress: self._post(Progressed(topic, sequence, progress)), get_current_worker())
        try:
            answer = Answer(topic, sequence, work(call))
        except Cancelled:
            self._post(Ended(topic, sequence))
            return
        except BaseException as error:  # noqa: BLE001 - shown as a toast or a dialog, never swallowed
            answer = Answer(topic, sequence, None, error, traceback.format_exc())
        self._post(answer)

    def _post(self, message: Message) -> None:
        self.post_message(message)

    def on_answer(self, message: Answer) -> None:
        """Hand the answer on, unless it came too late."""
        message.stop()
        if message.sequence != self._sequences.get(message.topic):
            return
        self._unanswered.discard(message.topic)
        then, failed = self._then[message.topic]
        if message.error is None:
            then(message.value)
        elif failed is not None:
            failed(message.error)
        else:
            cast("CmtuiApp", self.app).show_error(message.error, message.trace)
        self.ended(message.topic, answered=True)

    def on_ended(self, message: Ended) -> None:
        """Nothing comes any more, unless the work was replaced."""
        message.stop()
        if message.sequence == self._sequences.get(message.topic):
            self._unanswered.discard(message.topic)
            self.ended(message.topic, answered=False)

    def ended(self, topic: str, *, answered: bool) -> None:
        """What a screen does once its work is over, after the answer was handed on or without one."""
        del topic, answered

    def on_progressed(self, message: Progressed) -> None:
        """Hand the progress on, unless the work was replaced."""
        message.stop()
        if message.sequence == self._sequences.get(message.topic):
            self.progressed(message.topic, message.progress)

    def progressed(self, topic: str, progress: Progress) -> None:
        """What a screen does with progress: by default it goes to the status line."""
        del topic  # Screens with several kinds of work look at it.
        cast("CmtuiApp", self.app).show_progress(progress)


def is_expected(error: BaseException) -> bool:
    """Whether an error is one a person can act on."""
    return isinstance(error, CmtuiError)
