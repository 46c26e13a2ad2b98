// Promises of process: how children are started, spoken to, ended, and never left behind.
#include "rill/io/process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/lines.hpp"
#include "rill/rt/blocking.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

using test::read_all;

std::vector<std::string> shell(std::string script) {
    return {"/bin/sh", "-c", std::move(script)};
}

/// What a script writes; it must succeed.
task<std::string> output_of(std::string script, process_options with = {}) {
    with.output = stdio::pipe();
    auto command = shell(std::move(script));
    auto child = co_await process::start(std::move(command), with);
    auto const both = co_await when_all(read_all(child.output()), child.wait());
    CHECK(std::get<1>(both).success());
    co_return std::get<0>(both);
}

task<exit_status> status_of(std::string script) {
    auto command = shell(std::move(script));
    auto child = co_await process::start(std::move(command));
    auto const how = co_await child.wait();
    co_return how;
}

/// True when no child of this process is left, as a zombie or alive.
bool no_children() {
    return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
}

/// Waits until the pool has no work: a job that was given up ends by itself.
task<> until_quiet() {
    while (blocking_now().idle != blocking_now().threads || blocking_now().waiting != 0) {
        co_await rill::sleep(100us);
    }
}

}  // namespace

RILL_KERNEL_TEST("a child is given its arguments and gives its output and exit code") {
    std::vector<std::string> command{"printf", "%s|", "a b", "", "$HOME", "c\nd"};
    auto child = co_await process::start(command, {.output = stdio::pipe()});
    CHECK(child.id() > 0);
    auto const text = co_await read_all(child.output());
    CHECK(text == "a b||$HOME|c\nd|");
    auto const how = co_await child.wait();
    CHECK(how == exit_status(0, 0, false));
    auto const again = co_await child.wait();
    CHECK(again.success());
    auto const seven = co_await status_of("exit 7");
    CHECK(seven.exited());
    CHECK(seven.code() == 7);
    auto const killed = co_await status_of("kill -KILL $$");
    CHECK_FALSE(killed.exited());
    CHECK(killed.signal() == SIGKILL);
    CHECK(no_children());
}

RILL_KERNEL_TEST("a conversation: input and output are streams") {
    std::vector<std::string> command{"cat"};
    auto child =
        co_await process::start(command, {.input = stdio::pipe(), .output = stdio::pipe()});
    lines answers(child.output().bytes_of());
    for (int i = 0; i < 10; ++i) {
        std::string const line = "line " + std::to_string(i);
        co_await child.input().write(line + "\n");
        auto const back = co_await answers.next();
        REQUIRE(back);
        CHECK(*back == line);
    }
    child.input().finish();
    auto const end = co_await answers.next();
    CHECK_FALSE(end);
    auto const how = co_await child.wait();
    CHECK(how.success());
}

RILL_KERNEL_TEST("a megabyte through a child, both ways at once") {
    std::string const much(1 << 20, 'm');
    std::vector<std::string> command{"cat"};
    auto child =
        co_await process::start(command, {.input = stdio::pipe(), .output = stdio::pipe()});
    auto const writing = [&]() -> task<> {
        co_await child.input().write(much);
        child.input().finish();
    };
    auto const all = co_await when_all(writing(), read_all(child.output()), child.wait());
    CHECK(std::get<1>(all) == much);
}

RILL_KERNEL_TEST("output and error may go apart, to the same place, or to a file of the caller") {
    auto command = shell("echo out; echo err >&2");
    auto apart =
        co_await process::start(command, {.output = stdio::pipe(), .error = stdio::pipe()});
    auto const two = co_await when_all(read_all(apart.output()), read_all(apart.error()));
    CHECK(std::get<0>(two) == "out\n");
    CHECK(std::get<1>(two) == "err\n");
    std::array<int, 2> raw{};
    REQUIRE(::pipe2(raw.data(), O_CLOEXEC) == 0);
    {
        auto reader = descriptor_stream::own(raw[0]);
        auto together = co_await process::start(
            command, {.output = stdio::use(raw[1]), .error = stdio::use(raw[1])});
        ::close(raw[1]);
        auto const text = co_await read_all(reader);
        CHECK(text == "out\nerr\n");
        auto const how = co_await together.wait();
        CHECK(how.success());
    }
    // Standard output and error change places: neither copy overwrites the other before its turn.
    auto const swapped = co_await output_of("echo kept 1>&2", {.error = stdio::null()});
    CHECK(swapped.empty());
}

RILL_KERNEL_TEST("no descriptor leaks into a child, not even one without CLOEXEC") {
    int const careless = ::open("/dev/null", O_RDONLY);
    auto const text = co_await output_of("ls /proc/self/fd", {.input = stdio::null()});
    ::close(careless);
    CHECK(text == "0\n1\n2\n3\n");  // the last is the one by which ls reads the folder
}

RILL_KERNEL_TEST("a child has the signals at their defaults and none blocked") {
    struct sigaction ignore{};
    struct sigaction before{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGHUP, &ignore, &before);
    auto const text = co_await output_of("grep -E 'Sig(Blk|Ign)' /proc/self/status");
    ::sigaction(SIGHUP, &before, nullptr);
    CHECK(text.starts_with("SigBlk:\t0000000000000000\nSigIgn:\t"));
    // 32 and 33 are glibc's own.
    auto const ignored = std::stoull(text.substr(text.rfind('\t') + 1), nullptr, 16);
    CHECK((ignored & 0x7fff'ffff) == 0);
}

RILL_KERNEL_TEST("folder and environment are as asked for") {
    auto const folder = co_await output_of("pwd", {.directory = "/usr"});
    CHECK(folder == "/usr\n");
    std::vector<std::string> const added{"RILL_TEST=yes", "PATH=/usr/bin:/bin"};
    process_options with;
    with.environment = added;
    auto const kept = co_await output_of("echo $RILL_TEST ${HOME:+home} $PATH", with);
    CHECK(kept == "yes home /usr/bin:/bin\n");
    with.clean_environment = true;
    auto const clean = co_await output_of("env | grep -v -E '^(PWD|SHLVL|_)=' | sort", with);
    CHECK(clean == "PATH=/usr/bin:/bin\nRILL_TEST=yes\n");
}

RILL_KERNEL_TEST("a program that cannot be started is an error with its name") {
    std::vector<std::string> const missing{"/nonexistent/program"};
    auto const none = co_await as_result(process::start(missing, {.output = stdio::pipe()}));
    CHECK(none.error() == std::errc::no_such_file_or_directory);
    std::vector<std::string> const folder{"/usr"};
    auto const denied = co_await as_result(process::start(folder));
    CHECK(denied.error() == std::errc::permission_denied);
    std::vector<std::string> const there{"true"};
    auto const nowhere = co_await as_result(process::start(there, {.directory = "/nonexistent"}));
    CHECK(nowhere.error() == std::errc::no_such_file_or_directory);
    auto const closed = co_await as_result(process::start(there, {.output = stdio::use(100'000)}));
    CHECK(closed.error() == std::errc::bad_file_descriptor);
    CHECK(no_children());
}

RILL_KERNEL_TEST("a child that goes out of scope is killed and reaped") {
    {
        std::vector<std::string> const command{"sleep", "1000"};
        auto const child = co_await process::start(command);
    }
    while (!no_children()) co_await rill::sleep(100us);
}

RILL_KERNEL_TEST("a wait that is cancelled leaves the child running") {
    std::vector<std::string> const command{"sleep", "1000"};
    auto child = co_await process::start(command);
    auto const late = co_await as_result(timeout(1ms, child.wait()));
    CHECK(late.error() == errc::timed_out);
    CHECK(child.kill(0));
    CHECK(child.kill(SIGTERM));
    auto const how = co_await child.wait();
    CHECK(how.signal() == SIGTERM);
    CHECK_FALSE(child.kill(SIGTERM));
}

RILL_KERNEL_TEST("stop asks first, and kills a child that does not listen") {
    std::vector<std::string> const polite{"sleep", "1000"};
    auto child = co_await process::start(polite);
    auto const asked = co_await child.stop();
    CHECK(asked.signal() == SIGTERM);
    auto deaf = shell("trap '' TERM; echo ready; while :; do sleep 0.01; done");
    auto stubborn = co_await process::start(deaf, {.output = stdio::pipe(), .own_group = true});
    auto const ready = co_await stubborn.output().receive();
    CHECK(ready.view().text() == "ready\n");
    auto const killed = co_await stubborn.wait_or_stop(1ms, 10ms);
    CHECK(killed.signal() == SIGKILL);
}

RILL_KERNEL_TEST("a group of its own is ended as a whole") {
    auto script = shell("sleep 1000 & echo $!; wait");
    auto leader = co_await process::start(script, {.output = stdio::pipe(), .own_group = true});
    auto const grandchild = co_await leader.output().receive();
    CHECK(grandchild);
    auto const how = co_await leader.stop();
    CHECK(how.signal() == SIGTERM);
    // The pipe ends when the grandchild, which has it too, has gone.
    auto const rest = co_await leader.output().receive();
    CHECK_FALSE(rest);
}

RILL_KERNEL_TEST("cancelling at any moment leaves no child, no zombie and no descriptor") {
    for (int turn = 0; turn < 25; ++turn) {
        CAPTURE(turn);
        auto const work = []() -> task<> {
            std::vector<std::string> const command{"cat"};
            auto child =
                co_await process::start(command, {.input = stdio::pipe(), .output = stdio::pipe()});
            co_await child.input().write("x");
            auto const back = co_await child.output().receive();
            CHECK(back);
            co_await child.wait();
        };
        co_await when_any(work(), rill::sleep(turn * 100us));
        co_await until_quiet();
    }
    while (!no_children()) co_await rill::sleep(100us);
}

RILL_KERNEL_TEST("fifty children at once, each waited for") {
    int ended = 0;
    auto const one = [&](int number) -> task<> {
        auto const how = co_await status_of("exit " + std::to_string(number));
        if (how.code() == number) ++ended;
    };
    co_await with_task_group([&](task_group& group) -> task<> {
        for (int i = 0; i < 50; ++i) group.spawn(one, i);
        co_return;
    });
    CHECK(ended == 50);
    CHECK(no_children());
}

}  // namespace rill
