// The calls on pipes and terminals that do not go over a driver.
#include "pipe_calls.hpp"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "simulated_calls.hpp"

namespace rill::pipe_calls {

namespace {

/// A write to a pipe without a reader raises SIGPIPE on its thread, and pipes have no MSG_NOSIGNAL.
/// While one of these lives the signal is held back, and one that the write raised is taken away.
class no_broken_pipe_signal {
public:
    no_broken_pipe_signal() noexcept {
        ::sigemptyset(&only_);
        ::sigaddset(&only_, SIGPIPE);
        sigset_t pending;
        ::sigpending(&pending);
        was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
        ::pthread_sigmask(SIG_BLOCK, &only_, &before_);
    }
    no_broken_pipe_signal(no_broken_pipe_signal const&) = delete;
    no_broken_pipe_signal& operator=(no_broken_pipe_signal const&) = delete;
    ~no_broken_pipe_signal() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

    void take_away() const noexcept {
        timespec const now{};
        if (!was_pending_) ::sigtimedwait(&only_, nullptr, &now);
    }

private:
    sigset_t only_{};
    sigset_t before_{};
    bool was_pending_ = false;
};

template <class Call>
result<std::size_t> counted(Call const& call) noexcept {
    for (;;) {
        ssize_t const count = call();
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno != EINTR) return system_error(errno);
    }
}

/// What a simulation says: a count or a negated errno.
result<std::size_t> counted(int value) noexcept {
    if (value < 0) return system_error(-value);
    return static_cast<std::size_t>(value);
}

bool not_known(result<std::size_t> const& outcome) noexcept {
    return outcome.error() == std::errc::operation_not_supported ||
           outcome.error() == std::errc::invalid_argument ||
           outcome.error() == std::errc::function_not_supported;
}

}  // namespace

result<ends> open_pipe() noexcept {
    if (auto* const files = simulated_calls::of_thread()) return files->open_pipe();
    std::array<int, 2> made{};
    if (::pipe2(made.data(), O_CLOEXEC | O_NONBLOCK) != 0) return system_error(errno);
    return ends{.reader = made[0], .writer = made[1]};
}

result<nature> nature_of(int descriptor) noexcept {
    if (auto* const files = simulated_calls::of_thread()) return files->nature_of(descriptor);
    struct stat what{};
    if (::fstat(descriptor, &what) != 0) return system_error(errno);
    int const flags = ::fcntl(descriptor, F_GETFL);
    return nature{.file = S_ISREG(what.st_mode) || S_ISBLK(what.st_mode) || S_ISDIR(what.st_mode),
                  .nonblocking = flags >= 0 && (flags & O_NONBLOCK) != 0,
                  .write_only = flags >= 0 && (flags & O_ACCMODE) == O_WRONLY};
}

result<std::size_t> read_some(int descriptor, mutable_bytes into) noexcept {
    if (auto* const files = simulated_calls::of_thread()) {
        return counted(files->read_pipe(descriptor, into));
    }
    // Somebody else may have read what made it readable: NOWAIT says so instead of waiting, where
    // the kernel has it for this kind of file.
    iovec const piece{into.data(), into.size()};
    auto const got = counted([&] { return ::preadv2(descriptor, &piece, 1, -1, RWF_NOWAIT); });
    if (!not_known(got)) return got;
    return counted([&] { return ::read(descriptor, into.data(), into.size()); });
}

result<std::size_t> write_some(int descriptor, bytes from, bool nonblocking) noexcept {
    if (auto* const files = simulated_calls::of_thread()) {
        return counted(files->write_pipe(descriptor, from));
    }
    no_broken_pipe_signal const quiet;
    void* const data = const_cast<std::byte*>(from.data());
    iovec const piece{data, from.size()};
    auto took = counted([&] { return ::pwritev2(descriptor, &piece, 1, -1, RWF_NOWAIT); });
    if (not_known(took)) {
        // A pipe that is writable takes this many bytes at once (pipe(7)).
        std::size_t const most = nonblocking ? from.size() : std::size_t{PIPE_BUF};
        took = counted([&] { return ::write(descriptor, data, from.first(most).size()); });
    }
    if (took.error() == std::errc::broken_pipe) quiet.take_away();
    return took;
}

}  // namespace rill::pipe_calls
