// The steps that the calls on paths are made of.
#include "path_steps.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "file_calls.hpp"
#include "simulated_calls.hpp"

namespace rill::path_steps {

namespace {

int code_of(long result) noexcept {
    return result < 0 ? -errno : static_cast<int>(result);
}

}  // namespace

int open(int in, std::string const& path, int flags, std::uint32_t mode, bool beneath) noexcept {
    if (auto* const files = simulated_calls::of_thread()) {
        return files->noted("open", path, files->open_at(in, path, flags, mode, beneath));
    }
    if (!beneath) return code_of(::openat(in, path.c_str(), flags, mode));
    open_how what{};
    what.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags));
    what.mode = mode;
    what.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    for (;;) {
        int const got = code_of(::syscall(SYS_openat2, in, path.c_str(), &what, sizeof what));
        // A rename somewhere meanwhile: the kernel could not be sure that the path stays below.
        if (got == -EAGAIN || got == -EINTR) continue;
        bool const unknown = got == -ENOSYS || got == -EPERM;
        return unknown ? file_calls::walk_beneath(in, path, flags, mode) : got;
    }
}

int copy(int descriptor) noexcept {
    if (auto* const files = simulated_calls::of_thread())
        return files->noted("copy", {}, files->copy(descriptor));
    return code_of(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
}

void close(int descriptor) noexcept {
    if (auto* const files = simulated_calls::of_thread()) return files->close(descriptor);
    ::close(descriptor);
}

int write(int file, std::string_view content) noexcept {
    if (auto* const files = simulated_calls::of_thread())
        return files->noted("write", {}, files->write_on(file, content));
    for (;;) {
        int const put = code_of(::write(file, content.data(), content.size()));
        if (put != -EINTR) return put;
    }
}

int sync(int file, bool data_only) noexcept {
    if (auto* const files = simulated_calls::of_thread())
        return files->noted("sync", {}, files->sync(file));
    return code_of(data_only ? ::fdatasync(file) : ::fsync(file));
}

int truncate(int file, std::uint64_t size) noexcept {
    if (auto* const files = simulated_calls::of_thread())
        return files->noted("truncate", {}, files->truncate(file, size));
    return code_of(::ftruncate(file, static_cast<off_t>(size)));
}

int make_directory(int in, std::string const& name, std::uint32_t mode) noexcept {
    if (auto* const files = simulated_calls::of_thread()) {
        return files->noted("make directory", name, files->make_directory(in, name, mode));
    }
    return code_of(::mkdirat(in, name.c_str(), mode));
}

int remove(int in, std::string const& name, bool directory) noexcept {
    if (auto* const files = simulated_calls::of_thread()) {
        return files->noted("remove", name, files->remove(in, name, directory));
    }
    return code_of(::unlinkat(in, name.c_str(), directory ? AT_REMOVEDIR : 0));
}

int rename(int from_in, std::string const& from, int to_in, std::string const& to,
           bool replace) noexcept {
    if (auto* const files = simulated_calls::of_thread()) {
        return files->noted("rename to", to, files->rename(from_in, from, to_in, to, replace));
    }
    // The plain call where that will do: some file systems know no flags.
    if (replace) return code_of(::renameat(from_in, from.c_str(), to_in, to.c_str()));
    return code_of(::renameat2(from_in, from.c_str(), to_in, to.c_str(), RENAME_NOREPLACE));
}

int link(int file, int in, std::string const& name) noexcept {
    if (auto* const files = simulated_calls::of_thread())
        return files->noted("link", name, files->link(file, in, name));
    std::array<char, 32> path{"/proc/self/fd/"};
    *std::to_chars(path.data() + 14, path.data() + path.size() - 1, file).ptr = '\0';
    return code_of(::linkat(AT_FDCWD, path.data(), in, name.c_str(), AT_SYMLINK_FOLLOW));
}

}  // namespace rill::path_steps
