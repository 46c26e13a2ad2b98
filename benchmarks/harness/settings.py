"""What every part of the harness is told: where programs are, how long and on which CPU."""

import dataclasses
import os
import pathlib
import resource
import shutil

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


class Unavailable(Exception):
    """A program, a tool or a right is missing; the measurement is left out with this reason."""


@dataclasses.dataclass(frozen=True)
class Settings:
    build: pathlib.Path
    quick: bool = False
    seed: int = 1
    server_cpu: int | None = 0
    load_cpu: int | None = 1
    # For requests that take long: slices that are long enough for some.
    slice_seconds_at_least: float = 0

    # Many short slices: a machine that shares its cores is slow for seconds at a time, and only
    # slices that stand in the same such spell can be compared.

    @property
    def rounds(self):
        return 20 if self.quick else 72

    @property
    def warm_seconds(self):
        return 0.1

    @property
    def slice_seconds(self):
        return max(0.2 if self.quick else 0.3, self.slice_seconds_at_least)

    def program(self, name):
        """The path of a program of the build, such as `examples/hello`."""
        path = self.build / name
        if not path.is_file():
            raise Unavailable(f"{path} is not built")
        return path


def tool(name):
    """The path of a program of the system."""
    path = shutil.which(name)
    if path is None:
        raise Unavailable(f"{name} is not installed")
    return path


def choose_cpus():
    """Two different CPUs that this process may use; none where there is only one."""
    allowed = sorted(os.sched_getaffinity(0))
    return (allowed[0], allowed[1]) if len(allowed) > 1 else (None, None)


def raise_descriptor_limit():
    """Children inherit it. Returns the limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard
