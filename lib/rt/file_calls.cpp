// The calls on files that do not go over a driver.
#include "file_calls.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>
#include <string_view>

#include "rill/rt/request.hpp"

#include "simulated_calls.hpp"

namespace rill::file_calls {

namespace {

status from_stat(struct stat const& what) noexcept {
    return {.regular = S_ISREG(what.st_mode),
            .directory = S_ISDIR(what.st_mode),
            .link = S_ISLNK(what.st_mode),
            .size = static_cast<std::uint64_t>(what.st_size),
            .modified = what.st_mtim.tv_sec,
            .modified_ns = static_cast<std::uint32_t>(what.st_mtim.tv_nsec),
            .device = what.st_dev,
            .inode = what.st_ino,
            .permissions = what.st_mode & 07777};
}

// The offset with which preadv2(2) and pwritev2(2) go on where the file stands.
constexpr off_t own_position = -1;

/// False for a pipe or a terminal, which is waited for instead.
bool has_position(int file) noexcept {
    return ::lseek(file, 0, SEEK_CUR) >= 0 || errno != ESPIPE;
}

// So many renames during one lookup are waited out; the next one is its error, EAGAIN.
constexpr int most_renames = 100;
// A result is an int.
constexpr std::size_t largest_transfer = std::size_t{1} << 30;

#ifdef RESOLVE_CACHED
constexpr std::uint64_t resolve_cached = RESOLVE_CACHED;
#else
constexpr std::uint64_t resolve_cached = 0x20;  // since Linux 5.12
#endif

/// One step of a path, which is never a link.
int open_step(int directory, std::string_view name, int flags, std::uint32_t mode) noexcept {
    std::array<char, NAME_MAX + 1> ended{};
    if (name.size() > NAME_MAX) return -ENAMETOOLONG;
    if (name == "..") return -EXDEV;
    // Two slashes, or one at the end.
    if (name.empty()) name = ".";
    name.copy(ended.data(), name.size());
    for (;;) {
        int const opened = ::openat(directory, ended.data(), flags | O_NOFOLLOW, mode);
        if (opened < 0 && errno == EINTR) continue;
        if (opened < 0) return -errno;
        // With O_PATH a link is opened, and not refused.
        struct stat what{};
        bool const may_be_link = (flags & O_PATH) != 0 && (flags & O_NOFOLLOW) == 0;
        if (!may_be_link || (::fstat(opened, &what) == 0 && !S_ISLNK(what.st_mode))) return opened;
        ::close(opened);
        return -ELOOP;
    }
}

struct directory_closer {
    void operator()(DIR* open) const noexcept { ::closedir(open); }
};

}  // namespace

result<int> open_directory(std::string const& path) {
    if (auto* const simulated = simulated_calls::of_thread()) {
        int const opened = simulated->open_directory(path);
        if (opened < 0) return system_error(-opened);
        return opened;
    }
    int const descriptor = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return system_error(errno);
    return descriptor;
}

void close(int descriptor) noexcept {
    if (auto* const simulated = simulated_calls::of_thread()) return simulated->close(descriptor);
    ::close(descriptor);
}

result<status> status_of(int descriptor) noexcept {
    if (auto* const simulated = simulated_calls::of_thread()) {
        return simulated->status_of(descriptor);
    }
    struct stat what{};
    // What fstat is, but ThreadSanitizer does not follow it: that knows descriptors by their
    // numbers and sees no close of the ring, so the next owner of a number would count as a race.
    if (::fstatat(descriptor, "", &what, AT_EMPTY_PATH) != 0) return system_error(errno);
    return from_stat(what);
}

result<status> status_at(int directory, char const* name) noexcept {
    struct stat what{};
    if (::fstatat(directory, name, &what, AT_SYMLINK_NOFOLLOW) != 0) return system_error(errno);
    return from_stat(what);
}

result<std::vector<entry>> list(int directory) {
    if (auto* const simulated = simulated_calls::of_thread()) return simulated->list(directory);
    // A descriptor of its own: reading moves its position.
    int const own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own < 0) return system_error(errno);
    std::unique_ptr<DIR, directory_closer> const open(::fdopendir(own));
    if (open == nullptr) {
        int const why = errno;
        ::close(own);
        return system_error(why);
    }
    std::vector<entry> found;
    while (dirent const* const each = ::readdir(open.get())) {
        std::string_view const name = each->d_name;
        if (name == "." || name == "..") continue;
        struct stat what{};
        // An entry that vanished meanwhile, or a link to nothing, is left out.
        if (::fstatat(own, each->d_name, &what, 0) != 0) continue;
        found.push_back({std::string(name), from_stat(what)});
    }
    return found;
}

open_how const& beneath() noexcept {
    static constexpr open_how how{.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                                  .mode = 0,
                                  .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return how;
}

int walk_beneath(int directory, std::string_view path, int flags, std::uint32_t mode) noexcept {
    if (path.empty()) return -ENOENT;
    if (path.front() == '/') return -EXDEV;
    constexpr int way = O_PATH | O_DIRECTORY | O_CLOEXEC;
    int at = directory;
    for (;;) {
        std::size_t const end = path.find('/');
        bool const last = end == path.npos;
        int const next = open_step(at, path.substr(0, end), last ? flags : way, mode);
        if (at != directory) ::close(at);
        if (last || next < 0) return next;
        at = next;
        path.remove_prefix(end + 1);
    }
}

int open_beneath(int directory, char const* path, patience how) noexcept {
    open_how with = beneath();
    if (how == patience::none) with.resolve |= resolve_cached;
    int renames = how == patience::none ? 0 : most_renames;
    for (;;) {
        long const opened = ::syscall(SYS_openat2, directory, path, &with, sizeof with);
        if (opened >= 0) return static_cast<int>(opened);
        // Before Linux 5.12 a look at the caches alone cannot be asked for.
        bool const unknown = errno == ENOSYS || errno == EPERM;
        if ((unknown || errno == EINVAL) && how == patience::none) return -EAGAIN;
        if (unknown) return walk_beneath(directory, path, static_cast<int>(with.flags), 0);
        // A rename somewhere meanwhile: the kernel could not be sure that the path stays below.
        bool const again = errno == EAGAIN && renames-- > 0;
        if (errno != EINTR && !again) return -errno;
    }
}

int read_at(int file, mutable_bytes into, std::uint64_t offset, patience how) noexcept {
    if (offset == request::here && !has_position(file)) return -ESPIPE;
    into = into.first(largest_transfer);
    std::size_t filled = 0;
    while (filled != into.size()) {
        mutable_bytes const rest = into.without_first(filled);
        iovec const piece{rest.data(), rest.size()};
        off_t const at =
            offset == request::here ? own_position : static_cast<off_t>(offset + filled);
        ssize_t const got = ::preadv2(file, &piece, 1, at, how == patience::none ? RWF_NOWAIT : 0);
        if (got == 0) break;
        if (got > 0) {
            filled += static_cast<std::size_t>(got);
        } else if (errno == ESPIPE) {
            return -ESPIPE;
        } else if (how == patience::none) {
            // What moved the file's position is not read again.
            if (offset == request::here && filled != 0) break;
            return -EAGAIN;  // also where the file system does not know this flag
        } else if (errno != EINTR) {
            if (filled == 0) return -errno;
            break;
        }
    }
    return static_cast<int>(filled);
}

int write_at(int file, bytes from, std::uint64_t offset) noexcept {
    if (offset == request::here && !has_position(file)) return -ESPIPE;
    from = from.first(largest_transfer);
    iovec const piece{const_cast<std::byte*>(from.data()), from.size()};
    off_t const at = offset == request::here ? own_position : static_cast<off_t>(offset);
    for (;;) {
        ssize_t const put = ::pwritev2(file, &piece, 1, at, 0);
        if (put >= 0) return static_cast<int>(put);
        if (errno != EINTR) return -errno;
    }
}

int send_from(int file, std::uint64_t offset, std::uint64_t size, int socket) noexcept {
    std::uint64_t const wanted = std::min(size, most_sent_at_once);
    std::uint64_t sent = 0;
    while (sent != wanted) {
        auto at = static_cast<off_t>(offset + sent);
        ssize_t const put = ::sendfile(socket, file, &at, wanted - sent);
        if (put > 0) {
            sent += static_cast<std::uint64_t>(put);
        } else if (put == 0) {
            if (sent == 0) return -EIO;  // the file is shorter than was said
            break;
        } else if (errno != EINTR) {
            if (sent == 0) return -errno;
            break;
        }
    }
    return static_cast<int>(sent);
}

}  // namespace rill::file_calls
