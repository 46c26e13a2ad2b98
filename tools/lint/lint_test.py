"""Every rule of ./dev lint finds a planted violation and leaves the right form alone."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import compile as compilation
import lint
import shutil
import table

HEAD = "// A planted file.\n"


class planted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = self.folder.name

    def tearDown(self):
        self.folder.cleanup()

    def plant(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def rules(self, path, text, head=HEAD):
        """(line, rule) of what is found in one planted file; the head is line 1."""
        self.plant(path, head + text)
        return [(line, rule) for line, rule, _ in lint.check_file(self.root, path)]

    def finds(self, path, text, rule, line=2):
        self.assertIn((line, rule), self.rules(path, text), text)

    def clean(self, path, text):
        self.assertEqual([], self.rules(path, text), text)


class layers(planted):
    def test_a_lower_layer_does_not_include_a_higher_one(self):
        self.finds("lib/rt/x.cpp", '#include "rill/io/tcp.hpp"\n', "layer")
        self.finds("lib/codec/x.cpp", '#include "rill/coro/task.hpp"\n', "layer")
        self.finds("lib/base/x.cpp", '#include "coro/private.hpp"\n', "layer")
        self.clean("lib/io/x.cpp", '#include "rill/rt/driver.hpp"\n#include "io/own.hpp"\n')

    def test_protocols_may_use_http_but_never_each_other(self):
        self.clean("lib/ws/x.cpp", '#include "rill/http/request.hpp"\n')
        self.finds("lib/ws/x.cpp", '#include "rill/mqtt/client.hpp"\n', "layer")
        self.finds("lib/http/x.cpp", '#include "rill/ws/socket.hpp"\n', "layer")

    def test_nothing_includes_web(self):
        for layer in table.LAYERS:
            if layer != "web":
                self.finds(f"lib/{layer}/x.cpp", '#include "rill/web.hpp"\n', "layer")

    def test_the_table_points_down_only(self):
        order = list(table.LAYERS)
        for layer, below in table.LAYERS.items():
            for name in below:
                self.assertLess(order.index(name), order.index(layer))

    def test_a_folder_without_a_row_is_found(self):
        self.assertEqual([(1, "layer")], self.rules("lib/quic/x.cpp", ""))

    def test_a_public_header_includes_no_private_one(self):
        self.plant("include/rill/io/x.hpp", HEAD + '#pragma once\n#include "io/own.hpp"\n')
        self.assertIn("layer", [f[1] for f in lint.check_file(self.root, "include/rill/io/x.hpp")])


class third_parties(planted):
    def test_each_stays_at_home(self):
        for name in ("liburing.h", "openssl/ssl.h", "llhttp.h", "nghttp2/nghttp2.h", "nlohmann/json.hpp"):
            self.finds("lib/web/x.cpp", f"#include <{name}>\n", "third-party")
        self.clean("lib/rt/x.cpp", "#include <liburing.h>\n")
        self.clean("lib/tls/x.cpp", "#include <openssl/ssl.h>\n")
        self.clean("lib/codec/x.cpp", "#include <llhttp.h>\n")

    def test_none_is_in_a_public_header(self):
        self.finds("include/rill/io/x.hpp", "#include <fmt/format.h>\n#pragma once\n", "third-party")
        self.finds("include/rill/io/x.hpp", "#include <boost/asio.hpp>\n#pragma once\n", "third-party")
        self.clean("include/rill/io/x.hpp", "#pragma once\n#include <string>\n")


class system_calls(planted):
    def test_they_are_found_outside_rt(self):
        self.finds("lib/io/x.cpp", "int a = ::socket(2, 1, 0);\n", "system")
        self.finds("lib/io/x.cpp", "#include <sys/socket.h>\n", "system")
        self.finds("lib/io/x.cpp", "#include <unistd.h>\n", "system")
        self.finds("include/rill/io/x.hpp", "static thread_local int x;\n#pragma once\n", "system")
        self.clean("lib/rt/x.cpp", "#include <unistd.h>\nthread_local int x = ::read(0, nullptr, 0);\n")

    def test_a_qualified_name_of_ours_is_none(self):
        self.clean("lib/io/x.cpp", "auto a = rill::tcp::connect(b), c = detail::read(d);\n")

    def test_comments_and_text_are_not_code(self):
        self.clean("lib/io/x.cpp", '// ::close(fd)\nchar const* a = "::close(fd)";\n/* thread_local\n*/\n')
        self.clean("lib/io/x.cpp", 'auto a = R"(::close(1) " thread_local)";\nint b = 1\'000;\n')


class banned_calls(planted):
    def test_each_is_found_and_names_a_replacement(self):
        calls = [
            "sprintf(a, b);", "strcpy(a, b);", "strtok(a, b);", "gmtime(&a);", "localtime(&a);", "atoi(a);",
            "std::stoi(a);", "signal(SIGINT, f);", "std::cout << 1;", "printf(a);", "rand();",
            "std::random_device r;", "std::chrono::steady_clock::now();", "assert(a);", "a << std::endl;",
            "thread.detach();", "using namespace std;", "dynamic_cast<a*>(b);", "std::this_thread::sleep_for(1s);",
        ]
        for call in calls:
            self.finds("lib/io/x.cpp", f"    {call}\n", "banned")
        for pattern, instead, scope, _ in table.BANNED:
            self.assertTrue(pattern and instead and scope)

    def test_a_sleep_in_a_test_is_found(self):
        self.finds("tests/io/x_test.cpp", "std::this_thread::sleep_for(10ms);\n", "banned")
        self.finds("tests/io/x_test.cpp", "::usleep(10);\n", "banned")
        self.finds("tests/io/x_test.cpp", "    sleep(1);\n", "banned")
        self.clean("tests/io/x_test.cpp", "co_await rill::sleep(10ms);\nco_await sleep(10ms);\n".replace(" sleep(10ms)", " rill::sleep(10ms)"))
        self.clean("include/rill/rt/x.hpp", "#pragma once\nsleep_operation sleep(duration length) noexcept;\n")

    def test_names_that_only_look_alike_pass(self):
        self.clean("lib/io/x.cpp", "snprintf(a, 1, b);\nfmt::sprintf_like(a);\ngmtime_r(&a, &b);\nstatic_assert(true);\nsocket.detach();\n")


class heads(planted):
    def test_a_file_says_what_it_is_for(self):
        self.assertIn((1, "head"), self.rules("lib/io/x.cpp", "int x;\n", head=""))

    def test_a_header_is_guarded_and_its_macros_are_ours(self):
        self.assertIn((1, "head"), self.rules("lib/io/x.hpp", "int x;\n"))
        self.finds("include/rill/io/x.hpp", "#define CHECK(x) x\n#pragma once\n", "head")
        self.clean("include/rill/io/x.hpp", "#define RILL_X(x) x\n#pragma once\n")


class lengths(planted):
    def test_a_file_of_501_lines_is_too_long(self):
        self.assertEqual([(1, "length")], self.rules("lib/io/x.cpp", "\n" * 500))
        self.clean("lib/io/x.cpp", "\n" * 499)

    def test_a_function_of_61_lines_is_too_long(self):
        shapes = [
            "int f(int a) {\n%s}\n",
            "namespace a {\nclass b {\npublic:\n    b() : c_{1}, d_(2) {}\n    void e() const {\n%s    }\n};\n}\n",
            'TEST_CASE("a") {\n%s}\n',
            "template <class T>\n    requires(sizeof(T) > 1)\nvoid f(T const& a) noexcept {\n%s}\n",
            "b::b(int c)\n    : d_(c),\n      e_{1} {\n%s}\n",
        ]
        for shape in shapes:
            found = self.rules("lib/io/x.cpp", shape % ("    g();\n" * 60))
            self.assertEqual(["length"], [rule for _, rule in found], shape)
            self.clean("lib/io/x.cpp", shape % ("    g();\n" * 40))

    def test_a_class_a_namespace_and_a_table_may_be_long(self):
        for head in ("namespace a {", "class a : b<c> {", "enum class a {", "constexpr int a[] = {", "constexpr std::array<b, 2> a{"):
            self.clean("lib/io/x.cpp", head + "\n" + "\n" * 80 + "};\n")


class marks(planted):
    def test_a_todo_has_a_topic(self):
        self.finds("lib/io/x.cpp", "// TODO later\n", "mark")
        self.finds("lib/io/x.cpp", "// FIXME\n", "mark")
        self.clean("lib/io/x.cpp", "// TODO(kernel-6.10): drop when bundles are everywhere.\n")


class exceptions(planted):
    def test_an_exception_names_the_rule_and_a_reason(self):
        self.clean("lib/io/x.cpp", "int a = ::close(1);  // lint: allow(system) the reason\n")
        self.clean("lib/io/x.cpp", "// lint: allow(system) the reason\nint a = ::close(1);\n")
        self.finds("lib/io/x.cpp", "int a = ::close(1);  // lint: allow(system)\n", "system")
        self.finds("lib/io/x.cpp", "int a = ::close(1);  // lint: allow(length) the reason\n", "system")


class coroutine_forms(planted):
    def wrong(self, text):
        self.finds("lib/io/x.cpp", text, "coroutine")

    def right(self, text):
        self.clean("lib/io/x.cpp", text)

    def test_bare_conditions(self):
        for condition in (
            "if (co_await x()) y();", "if (!co_await x()) y();", "while (co_await x()) {}", "switch (co_await x()) {}",
            "do {} while (co_await x());", "for (; co_await x();) {}", "if (a && co_await x()) {}",
            "if (int a = b; co_await x(a)) {}", "while (co_await a.read() > 0) {}", "if (n == co_await x()) {}",
        ):
            self.wrong(condition + "\n")
        for condition in (
            "if (auto n = co_await x()) y();", "if (auto n = co_await x(); n > 1) y();",
            "while (auto const* n = co_await x()) {}", "while (std::optional<int> n = co_await x()) {}",
            "for (auto c : co_await x()) {}", "bool b = a && co_await x();", "if (a) co_await x();",
            "for (int i = 0; i < 3; ++i) co_await x(i);",
            "if (run([&]() -> task<> { co_await x(); })) {}",
        ):
            self.right(condition + "\n")

    def test_a_choice_of_awaits(self):
        self.wrong("auto s = k ? co_await a() : co_await b();\n")
        self.wrong("f(k ? g(co_await a()) : h);\n")
        self.right("co_await a(k ? 1 : 2);\n")
        self.right("auto s = k ? f([&]() -> task<> { co_await a(); }) : g();\nco_await a();\n")

    def test_a_handler_that_returns_or_awaits(self):
        self.wrong("try { co_await a(); } catch (error const& e) { co_return 1; }\n")
        self.finds("lib/io/x.cpp", "try {\n} catch (...) {\n    f();\n    co_return;\n}\n", "coroutine", 5)
        self.right("try { co_await a(); } catch (error const& e) { failed = true; }\nco_return 1;\n")

    def test_a_lambda_that_owns_inside_an_await(self):
        for captures in ("c", "=", "c, &d", "&d, c = std::move(e)", "this, c", "=, &d"):
            self.wrong(f"co_await f([{captures}] {{ return 1; }});\n")
        for captures in ("", "&", "&c", "&c, &d", "this", "this, &c", "&c = d"):
            self.right(f"co_await f([{captures}](int a) -> task<> {{ co_await g({{a}}.size()); }});\n".replace("g({a}.size())", "g(a)"))
        self.right("auto named = [c] { return 1; };\nco_await f(std::move(named));\n")
        self.right("co_await f(array[i], map[key](1));\n")

    def test_a_braced_temporary_inside_an_await(self):
        self.wrong('co_await f({"a", "b"});\n')
        self.wrong("auto x = co_await f(a, {1, 2});\n")
        self.wrong("co_return co_await f(\n    a,\n    {b});\n".replace("\n    a,\n    ", "a, "))
        self.right("co_await f(url, {.client_id = \"sensor\"});\n")
        self.right("co_await f(url, {});\n")
        self.right("co_await with([&](group& g) -> task<> {\n    g.spawn({1, 2});\n    co_return;\n});\n")

    def test_a_structured_binding_of_an_await(self):
        self.wrong("auto [a, b] = co_await x();\n")
        self.wrong("auto const& [a, b] = co_await x();\n")
        self.right("auto const pair = co_await x();\nauto const [a, b] = y();\n")


class documents(planted):
    def test_links_lead_somewhere(self):
        self.plant("docs/other.md", "# A heading, `with` code\n")
        found = self.rules("README.md", "[a](docs/none.md)\n[b](docs/other.md#nowhere)\n[c](#none)\n", head="# Top\n")
        self.assertEqual([(2, "link"), (3, "link"), (4, "link")], found)
        self.assertEqual([], self.rules("README.md", (
            "[a](docs/other.md) [b](docs/other.md#a-heading-with-code) [c](#top) [d](https://example.com)\n"
            "`[e](nowhere.md)`\n```\n[f](nowhere.md)\n```\n"), head="# Top\n"))


    def test_tests_that_are_named_exist(self):
        self.plant("tests/http/x_test.cpp", 'TEST_CASE("a thing; is so") {}\nRILL_IO_TEST("another "\n "thing") {}\n')
        table = "| rule | test |\n|---|---|\n"
        self.assertEqual([], self.rules("docs/a.md", (
            table + "| 1 | x: a thing; is so; another thing; x: another thing |\n| 2 | x: another ... |\n| 3 | in words |\n"
            "\n| other |\n|---|\n| x: none |\n")))
        found = self.rules("docs/a.md", table + "| 1 | x: another |\n| 2 | x: other ... |\n| 3 | y: another thing |\n")
        self.assertEqual([(4, "test"), (5, "test"), (6, "test")], found)


@unittest.skipUnless(shutil.which("g++") and shutil.which("clang-format-19"), "needs g++ and clang-format-19")
class compiled(planted):
    def test_a_header_that_needs_another_is_found(self):
        self.plant("include/rill/base/x.hpp", "#pragma once\ninline std::string a;\n")
        self.plant("include/rill/base/y.hpp", "#pragma once\n#include <string>\ninline std::string b;\n")
        headers = ["include/rill/base/x.hpp", "include/rill/base/y.hpp"]
        for _ in range(2):  # the second run is answered from the cache
            found = {f[0] for f in compilation.check_headers(self.root, headers, 2)}
            self.assertEqual({"include/rill/base/x.hpp"}, found)

    def test_a_name_that_a_compiler_predefines_is_found(self):
        self.plant("include/rill/base/x.hpp", "#pragma once\nenum class family { unix };\n")
        self.assertNotEqual([], list(compilation.check_headers(self.root, ["include/rill/base/x.hpp"], 1)))

    def test_a_changed_include_compiles_its_includers_again(self):
        self.plant("lib/base/x.hpp", '#pragma once\n#include "base/y.hpp"\ninline y z;\n')
        self.plant("lib/base/y.hpp", "#pragma once\nusing y = int;\n")
        self.assertEqual([], list(compilation.check_headers(self.root, ["lib/base/x.hpp"], 1)))
        self.plant("lib/base/y.hpp", "#pragma once\n")
        self.assertNotEqual([], list(compilation.check_headers(self.root, ["lib/base/x.hpp"], 1)))

    def test_layout_is_checked(self):
        self.plant("lib/base/x.cpp", "int   a;\n")
        self.assertEqual(["format"], [f[2] for f in compilation.check_format(self.root, ["lib/base/x.cpp"])])


if __name__ == "__main__":
    unittest.main()
