"""The harness's own test: known answers for the statistics, and servers that lie to the load."""

import math
import pathlib
import random
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import unittest

from . import bars, bars_build, bars_scale, contenders, evil, interleave, stats
from .processes import IdleLoad, LoadFailed, Server, free_port, run_load
from .settings import REPOSITORY, Unavailable

SETTINGS = None  # set by run.py


def synthetic(seed, ratio, rounds=16, drift=0.4, noise=0.04, names=("ours", "base", "third")):
    """Slices of a machine whose speed swings while they run; `ours` costs `ratio` times as much."""
    source = random.Random(seed)
    samples = []
    moment = 0.0
    for number in range(rounds):
        order = list(names)
        source.shuffle(order)
        for name in order:
            moment += 1.0
            speed = 1 + drift * math.sin(moment / 9 + seed)
            cost = 10 * (ratio if name == "ours" else 1) * speed
            samples.append(
                stats.Sample(name, number, moment, cost * math.exp(source.gauss(0, noise)))
            )
    return samples


class Statistics(unittest.TestCase):
    def test_ratio_of_known_costs_is_found_through_drift_and_noise(self):
        # Two slices that vary by 4 % and 16 rounds: no method can scatter by less than 1.41 %.
        errors = [
            math.log(stats.ratio(synthetic(seed, 1.08), "ours", "base").value / 1.08)
            for seed in range(40)
        ]
        self.assertLess(abs(statistics.mean(errors)), 0.008)
        self.assertLess(statistics.pstdev(errors), 0.022)

    def test_interval_covers_the_truth_about_as_often_as_it_says(self):
        for rounds in (8, 24):
            intervals = [
                stats.ratio(synthetic(seed, 1.1, rounds), "ours", "base", seed)
                for seed in range(60)
            ]
            covered = sum(i.low <= 1.1 <= i.high for i in intervals)
            self.assertGreaterEqual(covered, 53, f"{rounds} rounds")  # 57 of 60 is 95 %

    def test_removing_the_drift_narrows_the_interval(self):
        samples = synthetic(3, 1.0, drift=0.6, noise=0.01)
        steady = [stats.Sample(s.name, s.round, s.round * 1e9, s.value) for s in samples]
        with_drift = stats.ratio(steady, "ours", "base")  # far apart: nothing to learn from
        without = stats.ratio(samples, "ours", "base")
        self.assertLess(without.high - without.low, with_drift.high - with_drift.low)

    def test_one_wild_slice_does_not_move_the_ratio(self):
        samples = synthetic(4, 1.0, noise=0.01, drift=0.0)
        wild = stats.Sample(samples[5].name, samples[5].round, samples[5].moment, 1000.0)
        samples[5] = wild
        self.assertAlmostEqual(stats.ratio(samples, "ours", "base").value, 1.0, delta=0.02)

    def test_a_ratio_and_its_inverse_agree(self):
        samples = synthetic(5, 1.3)
        there = stats.ratio(samples, "ours", "base")
        back = stats.ratio(samples, "base", "ours")
        self.assertAlmostEqual(there.value * back.value, 1.0, places=9)

    def test_too_few_rounds_give_no_ratio(self):
        self.assertIsNone(stats.ratio(synthetic(6, 1.0, rounds=3), "ours", "base"))

    def test_small_functions_give_textbook_values(self):
        self.assertEqual(stats.midmean([1, 2, 3, 1000]), 2.5)
        self.assertAlmostEqual(stats.spread([9, 10, 11]), 0.05)
        self.assertAlmostEqual(stats.student(9), 2.262, delta=0.01)
        self.assertAlmostEqual(stats.student(23), 2.069, delta=0.01)


class Verdicts(unittest.TestCase):
    def judge(self, limit, value, low, high):
        recorder = bars.Recorder({"bar": limit})
        recorder.ratio("bar", stats.Ratio(value, low, high, 9))
        return recorder.bars[0].holds

    def test_a_ratio_holds_only_when_the_bad_end_of_its_interval_does(self):
        lower = bars.Limit(1.10)
        self.assertTrue(self.judge(lower, 1.05, 1.00, 1.09))
        self.assertFalse(self.judge(lower, 1.05, 1.00, 1.11))
        higher = bars.Limit(1.20, "higher")
        self.assertTrue(self.judge(higher, 1.30, 1.21, 1.40))
        self.assertFalse(self.judge(higher, 1.30, 1.19, 1.40))

    def test_what_is_not_measured_does_not_hold(self):
        recorder = bars.Recorder({"a": bars.Limit(1), "b": bars.Limit(1), "c": bars.Limit(1)})
        recorder.value("a", math.nan)
        recorder.ratio("b", None)
        recorder.complete("no program")
        self.assertEqual([b.holds for b in recorder.bars], [False, False, False])
        self.assertIsNone(recorder.bars[2].value)

    def test_strict_limits_exclude_the_limit(self):
        self.assertFalse(bars.Limit(3, strict=True).holds(3))
        self.assertTrue(bars.Limit(3).holds(3))

    def test_bars_have_names_of_their_own_and_a_description(self):
        names = [name for group in bars.GROUPS for name in group.limits]
        self.assertEqual(len(names), len(set(names)))
        for group in bars.GROUPS:
            self.assertTrue(group.measure.__doc__)

    def test_bars_without_programs_end_with_status_2_and_say_why(self):
        with tempfile.TemporaryDirectory() as folder:
            result = pathlib.Path(folder) / "bars.json"
            command = [sys.executable, REPOSITORY / "benchmarks/run.py", "--bars"]
            command += ["--build", folder, "--only", "hello.stripped", "--json", result]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("is not built", done.stdout.replace("\n    ", " "))
            self.assertIn('"holds": false', result.read_text())

    def test_a_generator_without_spare_time_is_named_as_the_limit(self):
        report = {"wall_s": 1.0, "load_cpu_s": 0.99, "server_cpu_s": 0.80}
        self.assertTrue(interleave.judge_limit(report, False))
        report["server_cpu_s"] = 0.99
        self.assertFalse(interleave.judge_limit(report, False))
        lag = {"send_lag_ns": {"p99": 60}, "latency_ns": {"p50": 20, "p99": 100}}
        self.assertTrue(interleave.judge_limit(lag, True))
        lag["latency_ns"]["p99"] = 1000
        self.assertFalse(interleave.judge_limit(lag, True))


class Load(unittest.TestCase):
    FEW = ("--connections", 3, "--requests", 60)

    def refuses(self, serve, protocol, message):
        with evil.serving(serve) as target, self.assertRaises(LoadFailed) as caught:
            run_load(SETTINGS, protocol, target, *self.FEW)
        self.assertIn(message, str(caught.exception))

    def test_an_honest_echo_passes(self):
        with evil.serving(evil.echo(lambda _, data: data)) as target:
            done = run_load(SETTINGS, "echo", target, *self.FEW, "--size", 100_000)
        self.assertEqual(done["requests"], 60)

    def test_one_wrong_byte_of_an_echo_is_refused(self):
        def flip(count, data):
            return data[:-1] + bytes([data[-1] ^ 1]) if count == 5 else data

        self.refuses(evil.echo(flip), "echo", "wrong echo")

    def test_an_echo_of_the_message_before_is_refused(self):
        kept = []

        def old(_, data):
            kept.append(data)
            return kept[-2] if len(kept) == 30 else data

        self.refuses(evil.echo(old), "echo", "wrong echo")

    def test_an_echo_that_adds_bytes_is_refused(self):
        self.refuses(evil.echo(lambda n, d: d + b"x" if n == 5 else d), "echo", "more bytes")

    def test_wrong_http_answers_are_refused(self):
        good = evil.GOOD
        for bad, message in (
            (good.replace(b"200 OK", b"500 Oh"), "wrong status"),
            (good.replace(b"World", b"Wrong"), "wrong body"),
            (good.replace(b"13", b"14") + b"!", "a body of 14 bytes"),
            (good.replace(b"Content-Length", b"Content-Lengxx"), "without content-length"),
            (good + good, "more answers than requests"),
        ):
            with self.subTest(message):
                self.refuses(evil.http([good, good, bad]), "http", message)

    def download(self, body, size, cut=1 << 20):
        with tempfile.TemporaryDirectory() as folder:
            pattern = pathlib.Path(folder) / "pattern"
            pattern.write_bytes(bytes(range(251)))
            options = ("--connections", 2, "--requests", 6, "--pattern", pattern, "--size", size)
            with evil.serving(evil.large(body, cut)) as target:
                return run_load(SETTINGS, "http", target, *options)

    def test_large_bodies_are_compared_byte_by_byte(self):
        size = 1_000_000
        good = (bytes(range(251)) * (size // 251 + 1))[:size]
        self.assertEqual(self.download(good, size)["requests"], 6)
        self.assertEqual(self.download(good[:3000], 3000, cut=1)["requests"], 6)
        for bad, message in (
            (good[:-1] + b"x", "wrong body after"),
            (good[:500_000] + good[500_001:] + b"x", "wrong body after"),
            (good[:-1], "a body of 999999 bytes"),
            (good + b"x", "a body of 1000001 bytes"),
        ):
            with self.subTest(message), self.assertRaises(LoadFailed) as caught:
                self.download(bad, size)
            self.assertIn(message, str(caught.exception))

    def test_a_connection_that_the_server_closes_is_refused(self):
        self.refuses(evil.http_closing, "http", "connection")

    def test_answers_in_single_bytes_are_understood(self):
        with evil.serving(evil.http_byte_by_byte) as target:
            done = run_load(SETTINGS, "http", target, *self.FEW, "--depth", 4)
        self.assertEqual(done["requests"], 60)

    def test_open_loop_counts_the_requests_that_a_stall_held_back(self):
        # 500 per second for one second on two connections; a stall of 0.3 s holds back 150 of them.
        # A generator that waits for answers before it sends would see two slow ones.
        options = ("--connections", 2, "--rate", 500, "--warm", 0.2, "--time", 1)
        with evil.serving(evil.Stalling(200, 0.3)) as target:
            done = run_load(SETTINGS, "http", target, *options)
        self.assertEqual(done["requests"], 500)
        self.assertGreater(done["latency_ns"]["p90"], 100e6)
        self.assertGreater(done["latency_ns"]["max"], 280e6)
        # Ten requests in 20 ms have no p99.
        self.assertEqual(done["window_p99_ns"], 0)

    def test_idle_connections_that_are_gone_are_counted(self):
        with evil.serving(evil.http_closing) as target:
            with IdleLoad(SETTINGS, "http", target, 20) as load:
                self.assertEqual(load.command("open 20")["answered"], 20)
                self.assertEqual(load.command("ask")["answered"], 0)


class BareServers(unittest.TestCase):
    def start(self, program):
        address = f"127.0.0.1:{free_port()}"
        return Server(program, [SETTINGS.program(f"benchmarks/{program}"), address], address, None)

    def connect(self, server):
        connection = socket.create_connection((server.host, server.port), timeout=20)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def read(self, connection, size):
        data = b""
        while len(data) < size:
            piece = connection.recv(65536)
            self.assertTrue(piece, "closed early")
            data += piece
        return data

    def test_http_answers_heads_in_any_pieces(self):
        request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        for program in ("bare_ring_http", "bare_epoll_http"):
            with self.subTest(program), self.start(program) as server:
                with self.connect(server) as connection:
                    for _ in range(3):
                        for i in range(len(request)):
                            connection.sendall(request[i : i + 1])
                        answer = self.read(connection, 1)
                        while not answer.endswith(b"Hello, World!"):
                            answer += connection.recv(65536)
                    # Longer than a buffer of the ring: heads are cut at any place.
                    connection.sendall(request * 1000)
                    self.assertEqual(self.read(connection, 1000 * len(answer)), answer * 1000)
                stats_line = server.stop()
                self.assertEqual(stats_line["requests"], 1003)

    def test_echo_keeps_the_order_for_a_reader_that_is_late(self):
        data = random.Random(1).randbytes(3_000_000)
        for program in ("bare_ring_echo", "bare_epoll_echo"):
            with self.subTest(program), self.start(program) as server:
                with self.connect(server) as connection:
                    # Sends all that fits before the first read: the server's window fills up.
                    connection.setblocking(False)
                    sent = 0
                    try:
                        while sent < len(data):
                            sent += connection.send(data[sent : sent + 65536])
                    except BlockingIOError:
                        connection.settimeout(20)
                    connection.settimeout(20)
                    self.assertEqual(self.read(connection, sent), data[:sent])
                done = run_load(SETTINGS, "echo", server, "--connections", 50, "--requests", 500)
                self.assertEqual(done["requests"], 500)

    def test_all_idle_connections_answer_later(self):
        with self.start("bare_ring_http") as server:
            with IdleLoad(SETTINGS, "http", server, 300) as load:
                self.assertEqual(load.command("open 300")["answered"], 300)
                self.assertEqual(load.command("ask")["answered"], 300)

    def test_every_peer_that_is_built_echoes(self):
        for contender in contenders.ECHO:
            with self.subTest(contender.name):
                try:
                    server = contender.start(SETTINGS)
                except Unavailable as reason:
                    self.skipTest(str(reason))
                with server:
                    options = ("--connections", 20, "--requests", 200, "--size", 10_000)
                    done = run_load(SETTINGS, "echo", server, *options)
                    self.assertEqual(done["requests"], 200)

    def test_nginx_answers_as_configured(self):
        try:
            server = contenders.NginxServer(SETTINGS, None)
        except Unavailable as reason:
            self.skipTest(str(reason))
        with server:
            done = run_load(SETTINGS, "http", server, "--connections", 5, "--requests", 5_000)
            self.assertEqual(done["requests"], 5_000)
            self.assertGreater(len(server.pids()), 1)  # the worker's time counts


class Tools(unittest.TestCase):
    def test_preloaded_counter_sees_allocations(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(32))
            file.flush()
            preload = str(SETTINGS.program("benchmarks/malloc_count.so"))
            environment = {"LD_PRELOAD": preload, "MALLOC_COUNT_FILE": file.name}
            subprocess.run([sys.executable, "-c", "1"], env=environment, check=True)
            allocations, frees, maps, _ = struct.unpack("4Q", pathlib.Path(file.name).read_bytes())
        self.assertGreater(allocations, 100)
        self.assertGreater(frees, 100)
        self.assertGreater(maps, 0)

    def test_ab_reports_are_read_with_all_kinds_of_failure(self):
        text = (
            "Complete requests:      998\nFailed requests:        3\nNon-2xx responses:      4\n"
            "Requests per second:    5000.5 [#/sec] (mean)\n"
            "Connect:        0    5   2.0      4      37\n"
        )
        found = bars_scale.read_ab(text, 1000)
        self.assertEqual((found.failed, found.longest_connect_ms), (9, 37))
        with self.assertRaises(LoadFailed):
            bars_scale.read_ab("apr_socket_recv: Connection reset by peer (104)\n", 1000)

    def test_compile_commands_are_redirected(self):
        command = ["c++", "-O2", "-MD", "-MQ", "a.o", "-MF", "a.d", "-o", "a.o", "-c", "a.cpp"]
        self.assertEqual(
            bars_build.with_output(command, pathlib.Path("/x/b.o")),
            ["c++", "-O2", "-o", "/x/b.o", "-c", "a.cpp"],
        )
