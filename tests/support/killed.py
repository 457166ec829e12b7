"""Kills a piece of work at its n-th file-system step, as ``kill -9`` would, in a forked child."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable

#: What a step is: everything that changes the disk, and every open.
STEPS = ("write", "fsync", "replace", "open", "unlink", "rename", "mkdir", "link", "rmdir")


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Run ``work`` in a child that is killed (SIGKILL) at its ``step``-th file-system step, from 1.

    False when it finished before that step. Fails when it raised.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # forking with threads about: the child touches none of them
        child = os.fork()
    if child == 0:
        left = step

        def counted(name: str) -> None:
            real = getattr(os, name)

            def call(*args: object, **kwargs: object) -> object:
                nonlocal left
                left -= 1
                if left <= 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*args, **kwargs)

            setattr(os, name, call)

        status = 1
        try:
            for name in STEPS:
                counted(name)
            work()
            status = 0
        except BaseException as error:
            sys.__stderr__.write(f"step {step}: {error!r}\n")
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0, f"the work failed at step {step}"
    return False
