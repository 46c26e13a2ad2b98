// The calls on child processes: posix_spawn(3), pidfd_open(2), waitid(2).
#include "process_calls.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

namespace rill::process_calls {

static_assert(end_at_once == SIGKILL);
static_assert(ask_to_end == SIGTERM);

namespace {

// posix_spawn of glibc is a vfork with all signals blocked: nothing of this process runs in the
// child but glibc's own few calls, so that other threads and their locks do not matter.
class spawn_settings {
public:
    spawn_settings() noexcept {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawnattr_init(&attributes_);
    }
    spawn_settings(spawn_settings const&) = delete;
    spawn_settings& operator=(spawn_settings const&) = delete;
    ~spawn_settings() {
        ::posix_spawnattr_destroy(&attributes_);
        ::posix_spawn_file_actions_destroy(&actions_);
    }

    [[nodiscard]] int fill(plan const& what) noexcept {
        sigset_t all;
        sigset_t none;
        ::sigfillset(&all);
        ::sigemptyset(&none);
        short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
        if (what.own_group) flags |= POSIX_SPAWN_SETPGROUP;
        int code = ::posix_spawnattr_setsigdefault(&attributes_, &all);
        if (code == 0) code = ::posix_spawnattr_setsigmask(&attributes_, &none);
        if (code == 0) code = ::posix_spawnattr_setpgroup(&attributes_, 0);
        if (code == 0) code = ::posix_spawnattr_setflags(&attributes_, flags);
        for (int target = 0; target < 3 && code == 0; ++target) {
            int const source = what.standard.all()[static_cast<std::size_t>(target)];
            code = ::posix_spawn_file_actions_adddup2(&actions_, source, target);
        }
        // Whatever a library has left open without CLOEXEC does not leak, either.
        if (code == 0) code = ::posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
        if (code == 0 && !what.directory.empty()) {
            code = ::posix_spawn_file_actions_addchdir_np(&actions_, what.directory.c_str());
        }
        return code;
    }
    [[nodiscard]] posix_spawn_file_actions_t const* actions() const noexcept { return &actions_; }
    [[nodiscard]] posix_spawnattr_t const* attributes() const noexcept { return &attributes_; }

private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers_to(std::vector<std::string> const& texts) {
    std::vector<char*> pointers;
    for (std::string const& each : texts) pointers.push_back(const_cast<char*>(each.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

ending from(siginfo_t const& what) noexcept {
    if (what.si_code == CLD_EXITED) return {.code = what.si_status};
    return {.signal = what.si_status, .dumped = what.si_code == CLD_DUMPED};
}

result<pipe_for_child> make_pipe(bool child_reads) noexcept {
    std::array<int, 2> made{};
    if (::pipe2(made.data(), O_CLOEXEC) != 0) return system_error(errno);
    pipe_for_child const ends{.parent = made[child_reads ? 1 : 0],
                              .child = made[child_reads ? 0 : 1]};
    // The mode belongs to the end, not to the pipe: the child's stays blocking, as it expects.
    ::fcntl(ends.parent, F_SETFL, ::fcntl(ends.parent, F_GETFL) | O_NONBLOCK);
    return ends;
}

}  // namespace

standard_descriptors::standard_descriptors(standard_descriptors&& other) noexcept
    : copies_(std::exchange(other.copies_, {-1, -1, -1})) {}

standard_descriptors::~standard_descriptors() {
    for (int const each : copies_) {
        if (each >= 0) ::close(each);
    }
}

result<void> standard_descriptors::copy(std::array<int, 3> const& from) noexcept {
    for (std::size_t i = 0; i < from.size(); ++i) {
        int const source = from[i] >= 0 ? from[i] : ::open("/dev/null", O_RDWR | O_CLOEXEC);
        if (source < 0) return system_error(errno);
        copies_[i] = ::fcntl(source, F_DUPFD_CLOEXEC, 3);
        int const code = copies_[i] < 0 ? errno : 0;
        if (from[i] < 0) ::close(source);
        if (code != 0) return system_error(code);
    }
    return {};
}

std::vector<std::string> environment() {
    std::vector<std::string> all;
    for (char** each = ::environ; each != nullptr && *each != nullptr; ++each) {
        all.emplace_back(*each);
    }
    return all;
}

child::child(child&& other) noexcept
    : id_(std::exchange(other.id_, -1)), descriptor_(std::exchange(other.descriptor_, -1)) {}

child& child::operator=(child&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

child::~child() {
    if (descriptor_ < 0) return;
    static_cast<void>(signal(descriptor_, 0, SIGKILL));
    siginfo_t what{};
    while (::waitid(P_PIDFD, static_cast<id_t>(descriptor_), &what, WEXITED) != 0 &&
           errno == EINTR) {
    }
    ::close(descriptor_);
}

int child::release() noexcept {
    return std::exchange(descriptor_, -1);
}

result<child> start(plan const& what) {
    std::vector<char*> const command = pointers_to(what.command);
    std::vector<char*> environment;
    if (what.environment) environment = pointers_to(*what.environment);
    spawn_settings settings;
    if (int const code = settings.fill(what); code != 0) return system_error(code);
    pid_t id = -1;
    int const code =
        ::posix_spawnp(&id, command.front(), settings.actions(), settings.attributes(),
                       command.data(), what.environment ? environment.data() : ::environ);
    if (code != 0) return system_error(code);
    // Nobody else reaps it, so the number is still this child's.
    auto const descriptor = static_cast<int>(::syscall(SYS_pidfd_open, id, 0U));
    if (descriptor < 0) {
        int const why = errno;
        ::kill(id, SIGKILL);
        while (::waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
        }
        return system_error(why);
    }
    return child(id, descriptor);
}

result<void> signal(int descriptor, int group, int number) noexcept {
    auto const code =
        group != 0
            ? ::kill(-group, number)
            : static_cast<int>(::syscall(SYS_pidfd_send_signal, descriptor, number, nullptr, 0U));
    if (code != 0) return system_error(errno);
    return {};
}

std::optional<ending> reap(int descriptor) noexcept {
    siginfo_t what{};
    int const code = ::waitid(P_PIDFD, static_cast<id_t>(descriptor), &what, WEXITED | WNOHANG);
    if (code != 0 && errno == ECHILD) return ending{.code = -1};
    if (code != 0 || what.si_pid == 0) return std::nullopt;
    return from(what);
}

result<pipe_for_child> pipe_to_child() noexcept {
    return make_pipe(true);
}

result<pipe_for_child> pipe_from_child() noexcept {
    return make_pipe(false);
}

void close(int descriptor) noexcept {
    ::close(descriptor);
}

}  // namespace rill::process_calls
