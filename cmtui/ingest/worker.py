"""The child process that reads files: ``python -m cmtui.ingest.worker``, frames on stdin and stdout.

It holds no secrets, inherits no descriptors, and ends when its stdin does, even in the middle of a file.
Memory is limited for its life; processor time is raised before each job, because that limit counts a
process's whole life (settlements.md 2.38).
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from cmtui.errors import Cancelled, IngestError, Malformed, ResourceLimit
from cmtui.ingest.limits import ReadLimits
from cmtui.ingest.messages import (
    HEADER,
    OUT_OF_MEMORY,
    REQUEST_BYTES,
    PageDone,
    ReadRequest,
    ReadResult,
    decode_request,
    failure_of,
    frame,
)
from cmtui.ingest.structure import called
from cmtui.model.progress import Progress


def main() -> int:
    """Answer requests until stdin ends."""
    requests, replies = _take_over_streams()
    inbox: queue.SimpleQueue[ReadRequest] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(requests, inbox), daemon=True).start()
    while True:
        request = inbox.get()
        _limit(request.limits)
        with suppress(BrokenPipeError):
            replies.write(_answer(request, replies))
            replies.flush()
        del request


def _take_over_streams() -> tuple[BinaryIO, BinaryIO]:
    """Private handles on stdin and stdout; what a library prints goes nowhere."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return requests, replies


def _receive(requests: BinaryIO, inbox: queue.SimpleQueue[ReadRequest]) -> None:
    """Read frames. The end of stdin ends the process at once, whatever the main thread does."""
    code = 0
    try:
        while True:
            header = requests.read(HEADER.size)
            if len(header) < HEADER.size:
                break
            (size,) = HEADER.unpack(header)
            if size > REQUEST_BYTES:
                break
            body = requests.read(size)
            if len(body) < size:
                break
            inbox.put(decode_request(body))
            del body
    except MemoryError:
        code = OUT_OF_MEMORY
    except ValueError:  # msgspec's errors are: the parent speaks another version of the protocol
        code = 1
    finally:
        os._exit(code)


def _answer(request: ReadRequest, replies: BinaryIO) -> bytes:
    """The frame that answers a request."""
    from cmtui.ingest.readers import reader_for

    def progress(state: Progress) -> None:
        replies.write(frame(PageDone(state.done, state.total)))
        replies.flush()

    file = called(request.name)
    try:
        document = reader_for(request.kind, request.reading).read(
            request.content,
            encoding=request.encoding,
            password=request.password,
            name=request.name,
            limits=request.limits,
            progress=progress,
        )
        return frame(ReadResult(document, _peak_kib()))
    except IngestError as error:
        return frame(failure_of(error))
    except Cancelled as error:
        return frame(failure_of(IngestError(error.message, error.hint)))
    except MemoryError:
        return frame(
            failure_of(
                ResourceLimit(
                    f"Reading {file} needs more than {request.limits.memory_bytes // 2**20:,} MiB of memory.",
                    "The file is damaged or made to exhaust memory; it was not read.",
                )
            )
        )
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - whatever a parser raises is a damaged file to the parent
        return frame(
            failure_of(
                Malformed(
                    f"{file} could not be read ({type(error).__name__}).",
                    "Open it in its usual program and save it anew, or fetch the file again.",
                )
            )
        )


def _limit(limits: ReadLimits) -> None:
    """Set the limits of the next job. Where the system knows none, the parent's wall clock remains."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(ValueError, OSError):
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (_below(limits.memory_bytes, hard), hard))
        usage = resource.getrusage(resource.RUSAGE_SELF)
        used = int(usage.ru_utime + usage.ru_stime) + 1
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (_below(used + limits.cpu_seconds, hard), hard))


def _below(value: int, hard: int) -> int:
    return value if hard < 0 else min(value, hard)


def _peak_kib() -> int:
    """Peak resident size in KiB of this program; 0 where the system does not say.

    Linux keeps ``ru_maxrss`` over exec, so a worker of a large application would seem large from its first
    file on; the high-water mark of the address space begins anew.
    """
    try:
        with Path("/proc/self/status").open(encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak


if __name__ == "__main__":
    sys.exit(main())
