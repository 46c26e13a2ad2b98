"""Servers of one folder of files, of rill and of others, and how each is started."""

import pathlib
import shutil
import tempfile

from .contenders import NGINX, OURS, Contender
from .processes import Server, free_port
from .settings import REPOSITORY, raise_descriptor_limit, tool

LIGHTTPD = "lighttpd"
H2O = "h2o"
OTHERS = (NGINX, LIGHTTPD, H2O)


class ConfiguredServer(Server):
    """A server with a configuration made from benchmarks/peers, in a folder that goes with it."""

    def __init__(self, name, arguments, root, settings):
        program = tool(name)
        self._folder = tempfile.mkdtemp(prefix=f"rill-bench-{name}-")
        # Workers may run as another user and must be able to enter the folder.
        pathlib.Path(self._folder).chmod(0o755)
        address = f"127.0.0.1:{free_port()}"
        host, _, port = address.rpartition(":")
        text = (REPOSITORY / f"benchmarks/peers/{name}_files.conf.in").read_text()
        values = {
            "folder": self._folder, "root": root, "address": address, "host": host, "port": port,
            "descriptors": raise_descriptor_limit(),
        }  # fmt: skip
        for key, value in values.items():
            text = text.replace(f"@{key}@", str(value))
        configuration = pathlib.Path(self._folder) / "server.conf"
        configuration.write_text(text)
        command = [program, *(part.format(folder=self._folder, file=configuration) for part in arguments)]
        super().__init__(name, command, address, settings.server_cpu)

    def stop(self, seconds=5):
        result = super().stop(seconds)
        shutil.rmtree(self._folder, ignore_errors=True)
        return result


def ours(root):
    def start(settings):
        address = f"127.0.0.1:{free_port()}"
        command = [settings.program("examples/file_server"), address, root]
        return Server(OURS, command, address, settings.server_cpu, {"RILL_CORES": "1"})

    return Contender(OURS, start)


def all_of(root):
    """rill and the others, each on the files below `root`."""

    def other(name, *arguments):
        return Contender(name, lambda settings: ConfiguredServer(name, arguments, root, settings))

    return [
        ours(root),
        other(NGINX, "-p", "{folder}", "-c", "{file}"),
        other(LIGHTTPD, "-D", "-f", "{file}"),
        other(H2O, "-c", "{file}"),
    ]
