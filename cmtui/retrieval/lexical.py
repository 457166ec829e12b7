"""The lexical index on Whoosh: derived data that may be deleted, damaged or out of date at any time.

The directory is valid only with a manifest that names everything the index depends on. With another manifest,
or when Whoosh cannot read it, it is deleted and begun anew, and whoever searches adds the documents again.
Index files are pickles: they are never taken from another machine, only rebuilt from the canonical store.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cmtui.errors import Cancelled, CmtuiError, IndexDamaged, IndexRebuilding
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback, never_cancelled
from cmtui.model.retrieval import Filters, ScoredPassage
from cmtui.model.source import CanonicalDocument, DocumentSummary
from cmtui.retrieval.projection import FOLD
from cmtui.retrieval.query import parse
from cmtui.retrieval.tokens import STOP_WORDS, stemmer_version
from cmtui.store.locks import FolderLock

if TYPE_CHECKING:
    from cmtui.retrieval.postings import PostingReader

#: The layout of the index; raise it when the schema, the tokenizer or the meaning of a field changes.
LAYOUT = "cmtui-whoosh/1"
MANIFEST = "cmtui-index.json"
#: Memory that Whoosh may use for one batch, in megabytes (design/retrieval.md 2.3).
LIMIT_MB = 256
#: Seconds to wait for another process that is indexing before IndexRebuilding is raised.
LOCK_SECONDS = 900.0
#: Passages indexed between two questions whether to stop.
_STRIDE = 50

_AGAIN = "Search again: it is rebuilt from the stored documents."

_T = TypeVar("_T")


class WhooshLexicalIndex:
    """A LexicalIndex in ``directory``, or in memory when it is None.

    Several processes may share a directory: writers take a lock beside it, readers see each commit. Where the
    directory cannot be written the index lives in memory. Safe for threads.
    """

    def __init__(self, directory: Path | None, *, lock_seconds: float = LOCK_SECONDS) -> None:
        self._directory = directory
        self._lock_seconds = lock_seconds
        self._guard = threading.RLock()  # Whoosh's files share one read position
        self._writing = threading.Lock()
        self._index: Any = None
        self._reader: PostingReader | None = None
        self._generation = -1
        self._damaged = False

    # -- the port ----------------------------------------------------------------------------------

    def covers(self) -> frozenset[str]:
        """Ids of the documents in the index. A damaged or foreign directory covers nothing."""
        with self._guard:
            try:
                return self._current().document_ids
            except IndexDamaged:
                return frozenset()

    def add(
        self,
        documents: Sequence[tuple[DocumentSummary, CanonicalDocument]],
        *,
        progress: ProgressCallback,
        cancelled: CancelledCallback,
    ) -> None:
        """Index documents in one commit: all of them, or none when cancelled. Known ones are no-ops.

        Raises Cancelled, and IndexRebuilding when another process holds the index for too long.
        """
        with self._held(cancelled):
            self._repair()
            known = self.covers()
            new = {document.document_id: (summary, document) for summary, document in documents}
            fresh = [pair for key, pair in new.items() if key not in known]
            if fresh:
                self._write(lambda writer: _add_all(writer, fresh, progress, cancelled))

    def remove(self, document_ids: Sequence[str], *, seconds: float | None = None) -> None:
        """Forget documents. Their rows are skipped from now on and leave the files with the next merge.

        ``seconds`` is how long to wait for another process that holds the index.
        """
        with self._held(never_cancelled, seconds):
            self._repair()
            known = self.covers() & set(document_ids)
            if known:
                self._write(lambda writer: _remove_all(writer, sorted(known)))

    def search(self, query: str, *, filters: Filters, limit: int) -> Sequence[ScoredPassage]:
        """Passages by BM25, best first; ties by source, document and place in the document.

        Raises QueryError; IndexDamaged when the files could not be read: then the index covers nothing, and
        adding the documents again repairs it.
        """
        parsed = parse(query)
        with self._guard:
            if self._index is None and not self._valid():
                return []  # nothing was ever added; an index that vanishes later is damage
            return self._guarded(lambda: self._current().search(parsed, filters, limit))

    def close(self) -> None:
        """Close the files. The index opens again by itself."""
        with self._guard:
            if self._reader is not None:
                with contextlib.suppress(Exception):
                    self._reader.close()
            self._reader = None
            self._index = None
            self._generation = -1

    def __del__(self) -> None:
        # Whoosh's large files would otherwise be closed by the collector, with a warning each.
        if getattr(self, "_reader", None) is not None:
            self.close()

    # -- reading -----------------------------------------------------------------------------------

    def _current(self) -> PostingReader:
        """The reader of the newest generation. Raises IndexDamaged."""
        return self._guarded(self._open)

    def _open(self) -> PostingReader:
        from cmtui.retrieval.postings import PostingReader

        if self._index is not None and self._directory is not None and not self._valid():
            self.close()  # deleted, or begun anew by another version
        if self._index is None:
            self._index = self._open_index()
        generation = self._index.latest_generation()
        if generation < 0:
            raise IndexDamaged("The search index has no table of contents.", _AGAIN)
        if self._reader is None or generation != self._generation:
            fresh = PostingReader(self._index.reader())
            if self._reader is not None:
                self._reader.close()
            self._reader = fresh
            self._generation = generation
        return self._reader

    def _open_index(self) -> Any:
        from cmtui.retrieval import whoosh_schema as whoosh

        if self._directory is None:
            return whoosh.create(whoosh.RamStorage())
        if not self._valid():
            raise IndexDamaged(f"There is no index of this version in {self._directory}.", _AGAIN)
        return whoosh.index.FileIndex(whoosh.Folder(str(self._directory)))

    def _guarded(self, read: Callable[[], _T]) -> _T:
        """Whoosh tells damage with unrelated errors (pickle, EOF, format, missing file; also plain ones):
        whatever it raises means that the files cannot be trusted."""
        try:
            return read()
        except CmtuiError:
            raise
        except Exception as error:
            self.close()
            self._damaged = True
            raise IndexDamaged(
                f"The search index cannot be read ({type(error).__name__}).",
                _AGAIN,
            ) from error

    # -- writing -----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _held(self, cancelled: CancelledCallback, seconds: float | None = None) -> Iterator[None]:
        """Hold the index for writing, against threads and other processes."""
        deadline = time.monotonic() + (self._lock_seconds if seconds is None else seconds)
        with contextlib.ExitStack() as stack:
            lock = self._lock()
            while True:
                if self._writing.acquire(timeout=0.02):
                    held = stack.enter_context(lock.try_hold()) if lock is not None else True
                    if held:
                        break
                    self._writing.release()
                    time.sleep(0.02)
                if cancelled():
                    raise Cancelled("Waiting for the search index was cancelled.")
                if time.monotonic() >= deadline:
                    raise IndexRebuilding(
                        "Another program is building the search index of this store.",
                        "Wait until it is done, then search again.",
                    )
            try:
                yield
            finally:
                self._writing.release()

    def _lock(self) -> FolderLock | None:
        """The lock beside the directory; None in memory, and after falling back to memory."""
        if self._directory is None:
            return None
        lock = FolderLock(self._directory.with_name(self._directory.name + ".lock"), timeout=0.0)
        try:
            self._directory.parent.mkdir(parents=True, exist_ok=True)
            if lock.problem() is None:
                return lock
        except OSError:
            pass
        with self._guard:  # a store that cannot be written is searched from memory
            self.close()
            self._directory = None
        return None

    def _repair(self) -> None:
        """Begin the directory anew unless it can be read. Only with the lock held."""
        with self._guard:
            if self._directory is None:
                return
            try:
                if not self._damaged:
                    self._current()
                    return
                # Another process may have repaired it since; reading decides.
                self._damaged = False
                self._current()
                _read_everything(self._index)
            except Exception:  # noqa: BLE001  (see _guarded)
                self.close()
                self._damaged = False
                shutil.rmtree(self._directory, ignore_errors=True)
                self._directory.mkdir(parents=True, exist_ok=True)
                from cmtui.retrieval import whoosh_schema as whoosh

                whoosh.create(whoosh.Folder(str(self._directory)))
                manifest = self._directory / MANIFEST
                temporary = manifest.with_suffix(".tmp")
                temporary.write_text(json.dumps(_manifest(), indent=1), encoding="utf-8")
                temporary.replace(manifest)

    def _write(self, work: Callable[[Any], None]) -> None:
        with self._guard:
            self._current()
            writer = self._index.writer(limitmb=LIMIT_MB, timeout=5.0)
        try:
            work(writer)
        except BaseException:
            writer.cancel()
            raise
        try:
            writer.commit()
        except CmtuiError:
            raise
        except Exception as error:
            self._damaged = True
            raise IndexDamaged(
                f"The search index could not be written ({type(error).__name__}: {error}).",
                "Check the free space of the disk, then search again.",
            ) from error

    def _valid(self) -> bool:
        """Whether the directory says that this version of the program wrote it."""
        if self._directory is None:
            return True
        try:
            found = json.loads((self._directory / MANIFEST).read_bytes())
        except (OSError, ValueError):
            return False
        return bool(found == _manifest())


def _manifest() -> dict[str, str]:
    """Everything the contents of the index depend on."""
    stops = hashlib.sha256(" ".join(sorted(STOP_WORDS)).encode()).hexdigest()[:16]
    return {
        "layout": LAYOUT,
        "fold": FOLD,
        "stemmer": stemmer_version(),
        "stop_words": stops,
        "unicode": unicodedata.unidata_version,
        "whoosh": version("whoosh"),
    }


def _add_all(
    writer: Any,
    pairs: Sequence[tuple[DocumentSummary, CanonicalDocument]],
    progress: ProgressCallback,
    cancelled: CancelledCallback,
) -> None:
    total = sum(len(document.passages) for _, document in pairs)
    done = 0
    for summary, document in pairs:
        about = (summary.source_id, str(document.kind))
        if not document.passages:
            writer.add_document(document_id=document.document_id, about=about)
        for passage in document.passages:
            if done % _STRIDE == 0:
                if cancelled():
                    raise Cancelled("Indexing was cancelled.", "Search again to go on.")
                progress(Progress("index", summary.name, done, total))
            done += 1
            row = {"about": about} if passage is document.passages[0] else {}
            writer.add_document(
                passage_id=document.passage_id(passage),
                document_id=document.document_id,
                body=document.passage_text(passage),
                surface=document.passage_text(passage),
                **row,
            )
    progress(Progress("index", "", done, total))


def _remove_all(writer: Any, document_ids: Sequence[str]) -> None:
    for document_id in document_ids:
        writer.delete_by_term("document_id", document_id)


def _read_everything(index: Any) -> None:
    """Read every posting list once. Raises whatever Whoosh raises on damage."""
    with contextlib.closing(index.reader()) as reader:
        for leaf, _ in reader.leaf_readers():
            for field, term in leaf.all_terms():
                matcher = leaf.postings(field, term)
                while matcher.is_active():
                    matcher.value()
                    matcher.next()
            for _ in leaf.all_stored_fields():
                pass
