// The files of local sockets.
#include "local_names.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <string>
#include <vector>

#include "sockets.hpp"

namespace rill::local_names {

namespace {

/// A name that this process has bound.
///
/// Invariant: `users` is not 0.
struct taken_name {
    std::string path;
    dev_t device = 0;
    ino_t inode = 0;
    int listening = -1;  // a descriptor of the listener, kept to be shared; -1 for datagrams
    int users = 1;
};

std::mutex names_mutex;
std::vector<taken_name> names;  // guarded by names_mutex

bool is_abstract(address const& at) noexcept {
    return at.path().front() == '@';
}

/// True when the file is one of a socket that nobody has open any more.
bool left_behind(address const& at, int type, struct stat& file) noexcept {
    if (::lstat(at.path().c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) return false;
    int const probe = ::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0) return false;
    sockets::name where(at);
    bool const refused = ::connect(probe, where.data(), where.size) != 0 && errno == ECONNREFUSED;
    ::close(probe);
    return refused;
}

int type_of(int descriptor) noexcept {
    int type = SOCK_STREAM;
    socklen_t size = sizeof type;
    ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size);
    return type;
}

/// Binds and notes the name. The mutex is held.
int bind_locked(int descriptor, address const& at, int mode) {
    sockets::name where(at);
    // Set before the bind, so that the file is never open to more than it shall be.
    if (mode >= 0) ::fchmod(descriptor, static_cast<mode_t>(mode));
    if (::bind(descriptor, where.data(), where.size) != 0) {
        int const why = errno;
        struct stat file{};
        if (why != EADDRINUSE || is_abstract(at) || !left_behind(at, type_of(descriptor), file)) {
            return why;
        }
        struct stat now{};
        if (::lstat(at.path().c_str(), &now) != 0 || now.st_ino != file.st_ino) return EADDRINUSE;
        ::unlink(at.path().c_str());
        if (::bind(descriptor, where.data(), where.size) != 0) return errno;
    }
    taken_name made{.path = at.path()};
    struct stat file{};
    if (!is_abstract(at)) {
        if (mode >= 0) ::chmod(at.path().c_str(), static_cast<mode_t>(mode));  // beyond umask
        if (::lstat(at.path().c_str(), &file) == 0) {
            made.device = file.st_dev;
            made.inode = file.st_ino;
        }
    }
    names.push_back(std::move(made));
    return 0;
}

taken_name* find(address const& at) noexcept {
    auto const found = std::find_if(names.begin(), names.end(),
                                    [&](taken_name const& each) { return each.path == at.path(); });
    return found != names.end() ? &*found : nullptr;
}

result<int> copy_of(int descriptor) noexcept {
    int const copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return system_error(errno);
    return copy;
}

/// Ends one use of a name. The mutex is held.
void release_locked(address const& at) noexcept {
    taken_name* const found = find(at);
    if (found == nullptr || --found->users != 0) return;
    struct stat file{};
    if (!is_abstract(at) && ::lstat(at.path().c_str(), &file) == 0 &&
        file.st_dev == found->device && file.st_ino == found->inode) {
        ::unlink(at.path().c_str());
    }
    if (found->listening >= 0) ::close(found->listening);
    *found = std::move(names.back());
    names.pop_back();
}

}  // namespace

int bind(int descriptor, address const& at, int mode) {
    std::lock_guard const lock(names_mutex);
    return bind_locked(descriptor, at, mode);
}

result<int> listen(address const& at, int backlog, int mode, bool may_share) {
    std::lock_guard const lock(names_mutex);
    if (taken_name* const shared = find(at)) {
        // Known without a look: a probe would be one more connection to the one that listens.
        if (!may_share || shared->listening < 0) return system_error(EADDRINUSE);
        auto const copy = copy_of(shared->listening);
        if (copy) ++shared->users;
        return copy;
    }
    auto const opened = sockets::open_stream(address::family::local);
    if (!opened) return opened.error();
    // Cores that share the socket look before they take, and somebody may be quicker.
    timeval const at_once{.tv_sec = 0, .tv_usec = 1};
    ::setsockopt(*opened, SOL_SOCKET, SO_RCVTIMEO, &at_once, sizeof at_once);
    int why = bind_locked(*opened, at, mode);
    if (why == 0) {
        auto const kept = copy_of(*opened);
        if (!kept) {
            why = kept.error().value();
        } else {
            names.back().listening = *kept;
            if (::listen(*opened, backlog) == 0) return *opened;
            why = errno;
        }
        release_locked(at);
    }
    ::close(*opened);
    return system_error(why);
}

void release(address const& at) noexcept {
    std::lock_guard const lock(names_mutex);
    release_locked(at);
}

}  // namespace rill::local_names
