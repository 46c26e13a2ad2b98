"""The servers that are compared, and how each is started."""

import contextlib
import dataclasses
import pathlib
import shutil
import tempfile
import typing

from .processes import Server, free_port
from .settings import REPOSITORY, Settings, Unavailable, raise_descriptor_limit, tool

OURS = "rill"
OURS_ON_EPOLL = "rill on epoll"
RING = "bare ring"
TWIN = "bare ring again"  # the same program once more: its ratio to RING is the noise
EPOLL = "bare epoll"
NGINX = "nginx"


@dataclasses.dataclass(frozen=True)
class Contender:
    name: str
    start: typing.Callable[[Settings], Server]


def of_build(name, program, **environment):
    def start(settings):
        address = f"127.0.0.1:{free_port()}"
        command = [settings.program(program), address]
        with_ours = {"RILL_CORES": "1", **environment}
        return Server(name, command, address, settings.server_cpu, with_ours)

    return Contender(name, start)


class NginxServer(Server):
    """nginx with a folder of its own, which goes when it stops."""

    def __init__(self, settings, cpu):
        program = tool("nginx")
        self._folder = tempfile.mkdtemp(prefix="rill-bench-nginx-")
        # The worker runs as another user and must be able to enter the folder.
        pathlib.Path(self._folder).chmod(0o755)
        address = f"127.0.0.1:{free_port()}"
        descriptors = raise_descriptor_limit()
        text = (REPOSITORY / "benchmarks/peers/nginx_hello.conf.in").read_text()
        values = {
            "folder": self._folder,
            "address": address,
            "descriptors": descriptors,
            # nginx closes idle connections when fewer than a sixteenth of these are free.
            "connections": 2 * descriptors,
        }
        for name, value in values.items():
            text = text.replace(f"@{name}@", str(value))
        configuration = pathlib.Path(self._folder) / "nginx.conf"
        configuration.write_text(text)
        command = [program, "-p", self._folder, "-c", configuration]
        super().__init__(NGINX, command, address, cpu)

    def stop(self, seconds=5):
        result = super().stop(seconds)
        shutil.rmtree(self._folder, ignore_errors=True)
        return result


HTTP = [
    of_build(OURS, "examples/hello"),
    of_build(OURS_ON_EPOLL, "examples/hello", RILL_DRIVER="epoll"),
    of_build(RING, "benchmarks/bare_ring_http"),
    of_build(TWIN, "benchmarks/bare_ring_http"),
    of_build(EPOLL, "benchmarks/bare_epoll_http"),
    Contender(NGINX, lambda settings: NginxServer(settings, settings.server_cpu)),
]

ECHO = [
    of_build(OURS, "examples/tcp_echo"),
    of_build(OURS_ON_EPOLL, "examples/tcp_echo", RILL_DRIVER="epoll"),
    of_build(RING, "benchmarks/bare_ring_echo"),
    of_build(TWIN, "benchmarks/bare_ring_echo"),
    of_build(EPOLL, "benchmarks/bare_epoll_echo"),
    of_build("libev", "benchmarks/peer_libev_echo"),
    of_build("libevent", "benchmarks/peer_libevent_echo"),
    of_build("libuv", "benchmarks/peer_libuv_echo"),
    of_build("asio callbacks", "benchmarks/peer_asio_callback_echo"),
    of_build("asio coroutines", "benchmarks/peer_asio_coroutine_echo"),
]


@contextlib.contextmanager
def started(settings, contenders, required=()):
    """Starts all that can be. Gives the servers by name, and the reasons of those left out."""
    with contextlib.ExitStack() as stack:
        servers = {}
        missing = {}
        for contender in contenders:
            try:
                servers[contender.name] = stack.enter_context(contender.start(settings))
            except Unavailable as reason:
                if contender.name in required:
                    raise
                missing[contender.name] = str(reason)
        yield servers, missing


def pick(contenders, *names):
    return [c for c in contenders if c.name in names]
