"""Servers and load generators as child processes: pinned, watched, stopped."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time

from .settings import Unavailable

STATS_LINE = re.compile(r"^rill: turns=(\d+) requests=(\d+) enters=(\d+)", re.MULTILINE)


class LoadFailed(Exception):
    """The load generator met a wrong or missing answer."""


def pin_to(cpu):
    """A function for Popen's preexec_fn."""
    return None if cpu is None else lambda: os.sched_setaffinity(0, {cpu})


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def descendants(root):
    """`root` and all processes below it."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [root]
    for process in found:
        found.extend(children.get(process, []))
    return found


def waited_for_cpu(processes):
    """Seconds for which threads of the processes were ready and had no CPU."""
    total = 0
    for process in processes:
        for task in pathlib.Path(f"/proc/{process}/task").glob("*/schedstat"):
            try:
                total += int(task.read_text().split()[1])
            except (OSError, IndexError):
                continue
    return total / 1e9


def ahead_of_others(processes):
    """Gives the processes' threads real-time priority. Returns why not, where it is refused.

    For figures that one time slice of a foreign process would decide, such as a p99."""
    for process in processes:
        for task in pathlib.Path(f"/proc/{process}/task").iterdir():
            try:
                os.sched_setscheduler(int(task.name), os.SCHED_FIFO, os.sched_param(1))
            except OSError as refusal:
                return f"no real-time priority ({refusal.strerror})"
    return None


class Server:
    """A server process that listens on `address`. Use as a context manager."""

    def __init__(self, name, command, address, cpu, environment=None, ready_seconds=10):
        self.name = name
        self.address = address
        self._errors = tempfile.TemporaryFile(mode="w+")
        self._process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env={**os.environ, "RILL_STATS": "1", **(environment or {})},
            preexec_fn=pin_to(cpu),
        )
        try:
            self._wait_until_ready(ready_seconds)
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def host(self):
        return self.address.rpartition(":")[0]

    @property
    def port(self):
        return int(self.address.rpartition(":")[2])

    @property
    def pid(self):
        return self._process.pid

    def pids(self):
        return descendants(self.pid)

    def errors(self):
        self._errors.seek(0)
        return self._errors.read()

    def reach(self):
        """Whether somebody accepts on the address."""
        host = "127.0.0.1" if self.host in ("", "0.0.0.0") else self.host
        try:
            socket.create_connection((host, self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def _wait_until_ready(self, seconds):
        deadline = time.monotonic() + seconds
        while not self.reach():
            if self._process.poll() is not None:
                raise Unavailable(f"{self.name} did not start: {self.errors().strip()[-400:]}")
            if time.monotonic() > deadline:
                raise Unavailable(f"{self.name} does not answer on {self.address}")
            time.sleep(0.02)

    def running(self):
        return self._process.poll() is None

    def terminate(self):
        self._process.send_signal(signal.SIGTERM)

    def stop(self, seconds=5):
        """Ends the process, asking first. Returns what it printed about itself (see `stats`)."""
        if self.running():
            self.terminate()
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()
        errors = self.errors()
        if "Sanitizer" in errors or "runtime error:" in errors:
            raise LoadFailed(f"{self.name}: {errors.strip()}")
        return self.stats()

    def stats(self):
        """Turns, requests and kernel entries of the last stats line; None without one."""
        found = STATS_LINE.findall(self.errors())
        if not found:
            return None
        turns, requests, enters = (int(x) for x in found[-1])
        return {"turns": turns, "requests": requests, "enters": enters}


def load_command(settings, protocol, server, *options):
    watch = ",".join(str(pid) for pid in server.pids())
    return [
        str(settings.program("benchmarks/load")),
        protocol,
        "--connect",
        server.address,
        "--watch",
        watch,
        *(str(o) for o in options),
    ]


def run_load(settings, protocol, server, *options):
    """Runs the load generator to its end and returns its report as a dict."""
    command = load_command(settings, protocol, server, *options)
    done = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=pin_to(settings.load_cpu), timeout=300
    )
    return read_report(server, done.returncode, done.stdout, done.stderr)


def read_report(server, status, output, errors):
    if status != 0 or errors.strip():
        raise LoadFailed(f"{server.name}: {errors.strip() or f'load generator ended with {status}'}")
    return json.loads(output)


class IdleLoad:
    """Many kept connections that rest until they are asked. Use as a context manager."""

    def __init__(self, settings, protocol, server, most):
        self._server = server
        self._process = subprocess.Popen(
            load_command(settings, f"idle-{protocol}", server, "--connections", most),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=pin_to(settings.load_cpu),
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()

    def command(self, line):
        """Gives a command and returns the answer as a dict."""
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise LoadFailed(f"{self._server.name}: {self._process.stderr.read().strip()}")
        return json.loads(answer)
