"""The header of every report: the machine, the kernel, the tools, the commit."""

import os
import platform
import re
import subprocess
import time

from .settings import REPOSITORY

VERSIONS = {
    "nginx": (["nginx", "-v"], r"nginx/(\S+)"),
    "ab": (["ab", "-V"], r"Version (\S+)"),
    "h2load": (["h2load", "--version"], r"nghttp2/(\S+)"),
    "valgrind": (["valgrind", "--version"], r"valgrind-(\S+)"),
    "liburing": (["pkg-config", "--modversion", "liburing"], r"(\S+)"),
    "libuv": (["pkg-config", "--modversion", "libuv"], r"(\S+)"),
    "libevent": (["pkg-config", "--modversion", "libevent"], r"(\S+)"),
}


def output_of(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, cwd=REPOSITORY)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout + done.stderr).strip()


def cpu_model():
    with open("/proc/cpuinfo") as file:
        found = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
    return found.group(1) if found else platform.machine()


def commit():
    name = output_of(["git", "rev-parse", "--short=12", "HEAD"])
    changed = output_of(["git", "status", "--porcelain", "--untracked-files=no"])
    return name + (" with local changes" if changed else "")


def compiler(build):
    try:
        log = (build / "meson-logs/meson-log.txt").read_text()
    except OSError:
        return "unknown"
    found = re.search(r"C\+\+ compiler for the host machine: \S.*?\((.+)\)", log)
    return found.group(1) if found else "unknown"


def stolen():
    """Seconds that the hypervisor has taken from all CPUs since boot."""
    with open("/proc/stat") as file:
        return int(file.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


def header(settings, limit):
    versions = {}
    for name, (command, pattern) in VERSIONS.items():
        found = re.search(pattern, output_of(command))
        if found:
            versions[name] = found.group(1)
    return {
        "date": time.strftime("%Y-%m-%d %H:%M:%S %Z"),
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "server_cpu": settings.server_cpu,
        "load_cpu": settings.load_cpu,
        "kernel": platform.release(),
        "compiler": compiler(settings.build),
        "commit": commit(),
        "descriptors": limit,
        "load_average": round(os.getloadavg()[0], 2),
        "stolen_s_before": stolen(),
        "versions": versions,
    }
