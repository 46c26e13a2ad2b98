"""The examples that meet another library, and the servers that they are tested against."""

import glob
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

from driver import PATIENCE_SECONDS, output_of, same

SKIPPED = 77  # as meson counts it


class Database:
    """A PostgreSQL of its own, on a local socket in a folder that goes away."""

    def __init__(self):
        found = glob.glob("/usr/lib/postgresql/*/bin/pg_ctl") + [shutil.which("pg_ctl") or ""]
        if not found[0]:
            print("skipped: no PostgreSQL server is installed (./dev packages examples)")
            sys.exit(SKIPPED)
        self.programs = os.path.dirname(found[0])
        # The server refuses to run as root: Debian's package has a user for it.
        self.as_user = {"user": "postgres"} if os.geteuid() == 0 else {}
        self.folder = tempfile.mkdtemp(prefix="rill_pg_")
        if self.as_user:
            shutil.chown(self.folder, "postgres")

    def run(self, program, *arguments):
        subprocess.run(
            [os.path.join(self.programs, program), "-D", os.path.join(self.folder, "data"), *arguments],
            check=True, timeout=PATIENCE_SECONDS, cwd=self.folder, stdout=subprocess.DEVNULL, **self.as_user,
        )

    def __enter__(self):
        self.run("initdb", "-A", "trust", "-U", "rill", "-N")
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        self.run("pg_ctl", "-w", "-l", os.path.join(self.folder, "log"), "-o", options, "start")
        return f"host={self.folder} user=rill dbname=postgres"

    def __exit__(self, *_):
        self.run("pg_ctl", "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.folder)


def database_query(program):
    with Database() as database:
        same(output_of(program, database, "select generate_series(1, 3)"), "1\n2\n3\n")
        # More than a socket takes at once, both ways.
        text = "x" * 5_000_000
        same(output_of(program, database, f"select length('{text[:100_000]}')"), "100000\n")
        same(output_of(program, database, "select repeat('x', 5000000)"), text + "\n")
        wrong = subprocess.run(
            [program, database, "select nonsense"], stderr=subprocess.PIPE, check=False, timeout=PATIENCE_SECONDS
        )
        same(wrong.returncode, 1)
        assert b"nonsense" in wrong.stderr, wrong.stderr
    nobody = subprocess.run(
        [program, "host=/nonexistent dbname=none", "select 1"],
        stderr=subprocess.PIPE, check=False, timeout=PATIENCE_SECONDS,
    )
    same(nobody.returncode, 1)


def answer_names(responder):
    """A name server that knows one name; drops the first question so that it is asked again."""
    asked = 0
    while True:
        question, client = responder.recvfrom(512)
        if not question or client == responder.getsockname():
            return
        asked += 1
        if asked == 1:
            continue
        # RFC 1035 section 4.1: the head, the question as it came, and one address.
        end = question.index(b"\0", 12) + 5
        known = question[12:end].lower().startswith(b"\x05known\x07example\0")
        head = question[:2] + (b"\x81\x80" if known else b"\x81\x83") + b"\0\1" + (b"\0\1" if known else b"\0\0") + b"\0\0\0\0"
        address = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + bytes([192, 0, 2, 7])
        responder.sendto(head + question[12:end] + (address if known else b""), client)


def name_lookup(program):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as responder:
        responder.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=answer_names, args=(responder,))
        thread.start()
        try:
            text = output_of(
                program, f"127.0.0.1:{responder.getsockname()[1]}", "known.example.", "other.example.", "known.example."
            )
        finally:
            responder.sendto(b"", responder.getsockname())
            thread.join()
    lines = text.splitlines()
    same(lines[0], "known.example.: 192.0.2.7")
    assert "not found" in lines[1], lines
    same(lines[2], lines[0])
