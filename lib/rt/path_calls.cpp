// The calls on paths and whole files.
#include "path_calls.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

namespace rill::path_calls {

namespace {

int flags_of(how const& with) noexcept {
    int flags = O_CLOEXEC | O_NOCTTY;
    flags |= with.read && with.write ? O_RDWR : with.write ? O_WRONLY : O_RDONLY;
    // Opening a pipe or a device that somebody put there does not block.
    if (!with.write) flags |= O_NONBLOCK;
    if (with.create) flags |= O_CREAT;
    if (with.exclusive) flags |= O_EXCL;
    if (with.truncate) flags |= O_TRUNC;
    if (with.append) flags |= O_APPEND;
    return flags;
}

result<owned> open_beneath(int in, char const* path, int flags, std::uint32_t mode) noexcept {
    open_how what{};
    what.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags));
    what.mode = mode;
    what.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    for (;;) {
        long const got = ::syscall(SYS_openat2, in, path, &what, sizeof what);
        if (got >= 0) return owned(static_cast<int>(got));
        // A rename somewhere meanwhile: the kernel could not be sure that the path stays below.
        if (errno != EAGAIN && errno != EINTR) return system_error(errno);
    }
}

result<void> done(int code) noexcept {
    if (code != 0) return system_error(errno);
    return {};
}

/// The directory that holds the last name of a path, and that name.
struct place {
    owned directory;
    std::string name;
};

result<place> place_of(owned const& in, std::string const& path) {
    std::string_view rest = path;
    while (rest.size() > 1 && rest.ends_with('/')) rest.remove_suffix(1);
    std::size_t const slash = rest.rfind('/');
    std::string_view const name = slash == std::string_view::npos ? rest : rest.substr(slash + 1);
    // These name no entry that could be made, removed or renamed.
    if (name.empty() || name == "." || name == "..") return system_error(EINVAL);
    std::string const folder(slash == std::string_view::npos ? "." : rest.substr(0, slash + 1));
    if (folder.front() == '/') return system_error(EXDEV);
    auto opened = open_beneath(in.get(), folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (!opened) return opened.error();
    return place{.directory = *std::move(opened), .name = std::string(name)};
}

result<void> write_all(int file, std::string_view content) noexcept {
    while (!content.empty()) {
        ssize_t const count = ::write(file, content.data(), content.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_error(errno);
        content.remove_prefix(static_cast<std::size_t>(count));
    }
    return done(::fsync(file));
}

/// The entry of `at` is on disk when its directory is.
result<void> sync_directory(place const& at) noexcept {
    owned const readable(::openat(at.directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (readable.get() < 0) return system_error(errno);
    return done(::fsync(readable.get()));
}

std::string beside(std::string const& name, std::string const& unique) {
    // At most 255 bytes (NAME_MAX), whatever the name.
    return "." + name.substr(0, 200) + "." + unique;
}

}  // namespace

owned::~owned() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

result<owned> owned::copy_of(int descriptor) noexcept {
    int const copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return system_error(errno);
    return owned(copy);
}

result<owned> open_file(std::string const& path, how const& with) noexcept {
    int const got = ::open(path.c_str(), flags_of(with), with.mode);
    if (got < 0) return system_error(errno);
    return owned(got);
}

result<owned> open_below(owned const& in, std::string const& path, how const& with) noexcept {
    return open_beneath(in.get(), path.c_str(), flags_of(with), with.create ? with.mode : 0);
}

result<owned> open_unnamed(owned const& in, std::string const& path, std::uint32_t mode) noexcept {
    return open_beneath(in.get(), path.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

result<file_calls::status> status_below(owned const& in, std::string const& path,
                                        bool follow) noexcept {
    auto const opened =
        open_beneath(in.get(), path.c_str(), O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW), 0);
    if (!opened) return opened.error();
    return file_calls::status_of(opened->get());
}

result<void> sync(owned const& file, bool data_only) noexcept {
    return done(data_only ? ::fdatasync(file.get()) : ::fsync(file.get()));
}

result<void> truncate(owned const& file, std::uint64_t size) noexcept {
    return done(::ftruncate(file.get(), static_cast<off_t>(size)));
}

result<void> make_directory(owned const& in, std::string const& path, std::uint32_t mode,
                            bool parents) noexcept {
    if (parents) {
        for (std::size_t at = path.find('/', 1); at != std::string::npos;
             at = path.find('/', at + 1)) {
            std::string const part = path.substr(0, at);
            if (part.ends_with('/') || part == "." || at + 1 == path.size()) continue;
            auto const made = make_directory(in, part, mode, false);
            if (!made && made.error() != std::errc::file_exists) return made;
        }
    }
    auto const at = place_of(in, path);
    if (!at) return at.error();
    return done(::mkdirat(at->directory.get(), at->name.c_str(), mode));
}

result<void> remove(owned const& in, std::string const& path) noexcept {
    auto const at = place_of(in, path);
    if (!at) return at.error();
    if (::unlinkat(at->directory.get(), at->name.c_str(), 0) == 0) return {};
    if (errno != EISDIR) return system_error(errno);
    return done(::unlinkat(at->directory.get(), at->name.c_str(), AT_REMOVEDIR));
}

result<void> rename(owned const& in, std::string const& from, owned const& to_in,
                    std::string const& to, bool replace) noexcept {
    auto const source = place_of(in, from);
    if (!source) return source.error();
    auto const target = place_of(to_in, to);
    if (!target) return target.error();
    unsigned const flags = replace ? 0U : RENAME_NOREPLACE;
    return done(::renameat2(source->directory.get(), source->name.c_str(), target->directory.get(),
                            target->name.c_str(), flags));
}

result<void> replace(owned const& in, std::string const& path, std::string const& content,
                     std::uint32_t mode, std::string const& unique) noexcept {
    auto const at = place_of(in, path);
    if (!at) return at.error();
    int const folder = at->directory.get();
    std::string const name = beside(at->name, unique);
    owned const file(
        ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (file.get() < 0) return system_error(errno);
    auto outcome = write_all(file.get(), content);
    if (outcome) outcome = done(::renameat(folder, name.c_str(), folder, at->name.c_str()));
    if (!outcome) {
        ::unlinkat(folder, name.c_str(), 0);
        return outcome;
    }
    return sync_directory(*at);
}

result<void> publish(owned const& file, owned const& in, std::string const& path,
                     std::string const& unique) noexcept {
    auto const at = place_of(in, path);
    if (!at) return at.error();
    if (::fsync(file.get()) != 0) return system_error(errno);
    std::array<char, 32> link{"/proc/self/fd/"};
    *std::to_chars(link.data() + 14, link.data() + link.size() - 1, file.get()).ptr = '\0';
    int const folder = at->directory.get();
    std::string const name = beside(at->name, unique);
    // A link cannot take the place of a file, and a rename can.
    if (::linkat(AT_FDCWD, link.data(), folder, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
        return system_error(errno);
    }
    auto const outcome = done(::renameat(folder, name.c_str(), folder, at->name.c_str()));
    if (!outcome) {
        ::unlinkat(folder, name.c_str(), 0);
        return outcome;
    }
    return sync_directory(*at);
}

result<directory_reader> directory_reader::open(int in, char const* name) noexcept {
    int const got =
        ::openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (got < 0) return system_error(errno);
    return adopt(owned(got));
}

result<directory_reader> directory_reader::adopt(owned open) noexcept {
    directory_reader made;
    made.stream_ = ::fdopendir(open.get());
    if (made.stream_ == nullptr) return system_error(errno);
    static_cast<void>(open.release());
    return made;
}

directory_reader::~directory_reader() {
    if (stream_ != nullptr) ::closedir(static_cast<DIR*>(stream_));
}

int directory_reader::descriptor() const noexcept {
    return ::dirfd(static_cast<DIR*>(stream_));
}

result<std::vector<file_calls::entry>> directory_reader::read(std::size_t most) {
    std::vector<file_calls::entry> found;
    while (found.size() < most) {
        errno = 0;
        dirent const* const each = ::readdir(static_cast<DIR*>(stream_));
        if (each == nullptr) {
            if (errno != 0 && found.empty()) return system_error(errno);
            break;
        }
        std::string_view const name = each->d_name;
        if (name == "." || name == "..") continue;
        auto const what = file_calls::status_at(descriptor(), each->d_name);
        if (what) found.push_back({std::string(name), *what});
    }
    return found;
}

}  // namespace rill::path_calls
