#!/usr/bin/env python3
"""Servers that a seccomp filter refuses io_uring: they start on epoll, say so once, and serve.

usage: refused_test.py REFUSE_CALLS HELLO FILE_SERVER
"""

import os
import re
import subprocess
import sys
import tempfile

from driver import PATIENCE_SECONDS, Server, same

RING = "io_uring_setup,io_uring_enter,io_uring_register"
NOTICE = "io_uring is refused: running on epoll"
CANNOT = 77


def environment(**more):
    plain = {k: v for k, v in os.environ.items() if not k.startswith("RILL_")}
    return {**plain, "RILL_CORES": "2", **more}


def served(program, *arguments, before=(), ask=("/", "Hello, World!"), **variables):
    """Asks a server for a page and gives what it has logged."""
    with tempfile.TemporaryFile(mode="w+") as log:
        running = Server(
            program, *arguments, before=before, stderr=log, env=environment(**variables)
        )
        with running as server:
            for _ in range(3):
                same(server.ask("GET", ask[0]), (200, ask[1]))
        log.seek(0)
        return log.read()


def ended(command, **variables):
    """Runs a server that cannot start, and gives its exit code and what it says."""
    done = subprocess.run(
        [*command, "127.0.0.1:0"], env=environment(**variables), stderr=subprocess.PIPE,
        text=True, check=False, timeout=PATIENCE_SECONDS,
    )
    return done.returncode, done.stderr


def notices(log):
    return [line for line in log.splitlines() if NOTICE in line]


def check_refused(refuse, hello):
    for code, said in (("EPERM", "not permitted"), ("ENOSYS", "not implemented")):
        log = served(hello, before=[refuse, code, RING])
        (line,) = notices(log)
        assert said in line and re.search(r'remedy="[^"]*(seccomp|sysctl)', line), line
        # Each of the calls may be the one that is refused.
        for call in RING.split(","):
            (line,) = notices(served(hello, before=[refuse, code, call]))
            assert f"call={call}" in line, line
    (line,) = notices(served(hello, before=[refuse, "ENOMEM", "io_uring_setup"]))
    assert "ulimit -l" in line, line


def check_forced(refuse, hello):
    filter_ = [refuse, "EPERM", RING]
    code, said = ended([*filter_, hello], RILL_DRIVER="uring")
    same(code, 1)
    assert "io_uring_setup" in said and ("seccomp" in said or "sysctl" in said), said
    assert NOTICE not in said, said
    # Asked for, epoll is no news; allowed, io_uring is none.
    same(notices(served(hello, before=filter_, RILL_DRIVER="epoll")), [])
    same(notices(served(hello, RILL_DRIVER="epoll")), [])
    code, said = ended([hello], RILL_DRIVER="kqueue")
    same(code, 1)
    assert "RILL_DRIVER kqueue" in said and "uring or epoll" in said, said


def check_old_kernel(refuse, file_server):
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, "folder"))
        with open(os.path.join(root, "folder", "a.txt"), "w", encoding="utf-8") as file:
            file.write("text of a file")
        for code in ("ENOSYS", "EPERM"):
            filter_ = [refuse, code, RING + ",openat2,epoll_pwait2"]
            served(file_server, root, before=filter_, ask=("/folder/a.txt", "text of a file"))


def main():
    refuse, hello, file_server = sys.argv[1:]
    if subprocess.run([refuse, "EPERM", RING, "/bin/true"], check=False).returncode == CANNOT:
        print("left out: this system has no seccomp filters")
        sys.exit(CANNOT)
    check_refused(refuse, hello)
    check_forced(refuse, hello)
    check_old_kernel(refuse, file_server)


if __name__ == "__main__":
    main()
