// The calls on paths and whole files.
#include "path_calls.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <string_view>

#include "path_steps.hpp"
#include "simulated_calls.hpp"

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

result<owned> opened(int descriptor) noexcept {
    if (descriptor < 0) return system_error(-descriptor);
    return owned(descriptor);
}

result<owned> open_beneath(owned const& in, std::string const& path, int flags,
                           std::uint32_t mode = 0) noexcept {
    return opened(path_steps::open(in.get(), path, flags | O_CLOEXEC, mode, true));
}

result<void> done(int code) noexcept {
    if (code < 0) return system_error(-code);
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
    auto directory = open_beneath(in, folder, O_PATH | O_DIRECTORY);
    if (!directory) return directory.error();
    return place{.directory = *std::move(directory), .name = std::string(name)};
}

result<void> write_all(owned const& file, std::string_view content) noexcept {
    while (!content.empty()) {
        int const count = path_steps::write(file.get(), content);
        if (count < 0) return system_error(-count);
        content.remove_prefix(static_cast<std::size_t>(count));
    }
    return sync(file, false);
}

/// The entry of `at` is on disk when its directory is.
result<void> sync_directory(place const& at) noexcept {
    auto const readable = open_beneath(at.directory, ".", O_RDONLY | O_DIRECTORY);
    if (!readable) return readable.error();
    return sync(*readable, false);
}

/// Lets what is complete under the name `from` take the name of `at`, or removes it.
result<void> take_name(place const& at, std::string const& from, result<void> outcome) noexcept {
    int const folder = at.directory.get();
    if (outcome) outcome = done(path_steps::rename(folder, from, folder, at.name, true));
    if (!outcome) {
        static_cast<void>(path_steps::remove(folder, from, false));
        return outcome;
    }
    return sync_directory(at);
}

std::string beside(std::string const& name, std::string const& unique) {
    // At most 255 bytes (NAME_MAX), whatever the name.
    return "." + name.substr(0, 200) + "." + unique;
}

}  // namespace

owned::~owned() {
    if (descriptor_ >= 0) path_steps::close(descriptor_);
}

result<owned> owned::copy_of(int descriptor) noexcept {
    return opened(path_steps::copy(descriptor));
}

result<owned> open_file(std::string const& path, how const& with) noexcept {
    return opened(path_steps::open(AT_FDCWD, path, flags_of(with), with.mode, false));
}

result<owned> open_below(owned const& in, std::string const& path, how const& with) noexcept {
    return open_beneath(in, path, flags_of(with), with.create ? with.mode : 0);
}

result<owned> open_unnamed(owned const& in, std::string const& path, std::uint32_t mode) noexcept {
    return open_beneath(in, path, O_TMPFILE | O_RDWR, mode);
}

result<file_calls::status> status_below(owned const& in, std::string const& path,
                                        bool follow) noexcept {
    auto const found = open_beneath(in, path, O_PATH | (follow ? 0 : O_NOFOLLOW));
    if (!found) return found.error();
    return file_calls::status_of(found->get());
}

result<void> sync(owned const& file, bool data_only) noexcept {
    return done(path_steps::sync(file.get(), data_only));
}

result<void> truncate(owned const& file, std::uint64_t size) noexcept {
    return done(path_steps::truncate(file.get(), size));
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
    return done(path_steps::make_directory(at->directory.get(), at->name, mode));
}

result<void> remove(owned const& in, std::string const& path) noexcept {
    auto const at = place_of(in, path);
    if (!at) return at.error();
    int const code = path_steps::remove(at->directory.get(), at->name, false);
    if (code != -EISDIR) return done(code);
    return done(path_steps::remove(at->directory.get(), at->name, true));
}

result<void> rename(owned const& in, std::string const& from, owned const& to_in,
                    std::string const& to, bool replace) noexcept {
    auto const source = place_of(in, from);
    if (!source) return source.error();
    auto const target = place_of(to_in, to);
    if (!target) return target.error();
    return done(path_steps::rename(source->directory.get(), source->name, target->directory.get(),
                                   target->name, replace));
}

result<void> replace(owned const& in, std::string const& path, std::string const& content,
                     std::uint32_t mode, std::string const& unique) noexcept {
    auto const at = place_of(in, path);
    if (!at) return at.error();
    std::string const name = beside(at->name, unique);
    auto const file =
        open_beneath(at->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    if (!file) return file.error();
    return take_name(*at, name, write_all(*file, content));
}

result<void> publish(owned const& file, owned const& in, std::string const& path,
                     std::string const& unique) noexcept {
    auto const at = place_of(in, path);
    if (!at) return at.error();
    if (auto const synced = sync(file, false); !synced) return synced;
    // A link cannot take the place of a file, and a rename can.
    std::string const name = beside(at->name, unique);
    auto const linked = done(path_steps::link(file.get(), at->directory.get(), name));
    if (!linked) return linked;
    return take_name(*at, name, linked);
}

result<directory_reader> directory_reader::open(owned const& in, std::string const& name) noexcept {
    int const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    auto directory = opened(path_steps::open(in.get(), name, flags, 0, false));
    if (!directory) return directory.error();
    return adopt(*std::move(directory));
}

result<directory_reader> directory_reader::adopt(owned open) noexcept {
    directory_reader made;
    if (simulated_calls::of_thread() != nullptr) {
        made.simulated_ = std::move(open);
        return made;
    }
    made.stream_ = ::fdopendir(open.get());
    if (made.stream_ == nullptr) return system_error(errno);
    static_cast<void>(open.release());
    return made;
}

directory_reader::~directory_reader() {
    if (stream_ != nullptr) ::closedir(static_cast<DIR*>(stream_));
}

int directory_reader::descriptor() const noexcept {
    return stream_ != nullptr ? ::dirfd(static_cast<DIR*>(stream_)) : simulated_.get();
}

result<std::vector<file_calls::entry>> directory_reader::read(std::size_t most) {
    if (auto* const files = simulated_calls::of_thread()) {
        auto found = files->list(simulated_.get(), last_, most);
        if (found && !found->empty()) last_ = found->back().name;
        return found;
    }
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
