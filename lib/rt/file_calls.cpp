// The calls on files that do not go over a driver.
#include "file_calls.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "simulated_files.hpp"

namespace rill::file_calls {

namespace {

status from_stat(struct stat const& what) noexcept {
    return {.regular = S_ISREG(what.st_mode),
            .directory = S_ISDIR(what.st_mode),
            .link = S_ISLNK(what.st_mode),
            .size = static_cast<std::uint64_t>(what.st_size),
            .modified = what.st_mtim.tv_sec,
            .device = what.st_dev,
            .inode = what.st_ino,
            .permissions = what.st_mode & 07777};
}

struct directory_closer {
    void operator()(DIR* open) const noexcept { ::closedir(open); }
};

}  // namespace

result<int> open_directory(std::string const& path) {
    if (auto* const simulated = simulated_files::of_thread()) {
        return simulated->open_directory(path);
    }
    int const descriptor = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return system_error(errno);
    return descriptor;
}

void close(int descriptor) noexcept {
    if (auto* const simulated = simulated_files::of_thread()) return simulated->close(descriptor);
    ::close(descriptor);
}

result<status> status_of(int descriptor) noexcept {
    if (auto* const simulated = simulated_files::of_thread()) {
        return simulated->status_of(descriptor);
    }
    struct stat what{};
    if (::fstat(descriptor, &what) != 0) return system_error(errno);
    return from_stat(what);
}

result<status> status_at(int directory, char const* name) noexcept {
    struct stat what{};
    if (::fstatat(directory, name, &what, AT_SYMLINK_NOFOLLOW) != 0) return system_error(errno);
    return from_stat(what);
}

result<std::vector<entry>> list(int directory) {
    if (auto* const simulated = simulated_files::of_thread()) return simulated->list(directory);
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

}  // namespace rill::file_calls
