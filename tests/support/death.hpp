// Does a piece of code break a promise? Runs it in a child process and looks how that ended.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace rill::test {

/// What a failed RILL_ASSERT in `act` printed; empty where `act` returned. Call it before the test
/// program has made threads.
template <class Act>
std::string assertion_of(Act const& act) {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) std::abort();
    std::fflush(nullptr);
    pid_t const child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        struct sigaction fatal{};
        fatal.sa_handler = SIG_DFL;
        ::sigaction(SIGABRT, &fatal, nullptr);
        act();
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string text;
    char part[512];
    for (;;) {
        auto const got = ::read(ends[0], part, sizeof part);
        if (got <= 0) break;
        text.append(part, static_cast<std::size_t>(got));
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    bool const aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    return aborted ? text : std::string();
}

}  // namespace rill::test
