// The files of a simulated world: descriptors, and the calls on them.
#include "simulated_files.hpp"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "simulated_world.hpp"

namespace rill {

namespace {

constexpr int first_descriptor = 2'000'000;
constexpr int end_of_descriptors = 3'000'000;
constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 30;  // beyond it EFBIG
constexpr std::uint32_t umask_of_world = 022;

bool waits_for_state(verb what) noexcept {
    return what == verb::readable || what == verb::writable || what == verb::hangup;
}

}  // namespace

simulated_files::description::~description() {
    if (pipe != nullptr) {
        writes ? pipe->end_writing() : pipe->end_reading();
    } else if (writes) {
        node->tell(watch_calls::kind::written);
    }
}

int simulated_files::noted(char const* what, std::string_view on, int value) {
    return world_.note_call(what, on, value);
}

void simulated_files::add(std::string_view path, std::optional<std::string_view> content) {
    auto const now = world_.wall_now();
    for (std::size_t at = 0; at < path.size();) {
        std::size_t const end = std::min(path.find('/', at), path.size());
        std::string_view const so_far = path.substr(0, end);
        at = end + 1;
        place where;
        if (so_far.empty() || tree_.find(tree_.top(), so_far, false, where) != 0) continue;
        bool const last = end == path.size();
        // What is open of an earlier file of this name stays what it was.
        if (last && content && where.found != nullptr && where.folder != nullptr) {
            tree_.detach(where.found, now);
        } else if (where.found != nullptr) {
            continue;
        }
        bool const is_file = last && content;
        node_ptr const made = tree_.make(!is_file, is_file ? 0644 : 0755, now);
        if (is_file) made->content = *content;
        tree_.attach(where, made, now);
    }
}

simulated_files::description* simulated_files::find(int descriptor) const noexcept {
    auto const index = static_cast<std::size_t>(descriptor - first_descriptor);
    if (descriptor < first_descriptor || index >= open_.size()) return nullptr;
    return open_[index].get();
}

bool simulated_files::owns(int descriptor) const noexcept {
    return descriptor >= first_descriptor && descriptor < end_of_descriptors;
}

int simulated_files::enter(std::shared_ptr<description> what) {
    // The lowest free number, as a kernel gives.
    auto slot = std::find(open_.begin(), open_.end(), nullptr);
    if (slot == open_.end()) slot = open_.insert(slot, nullptr);
    *slot = std::move(what);
    ++count_;
    return first_descriptor + static_cast<int>(slot - open_.begin());
}

void simulated_files::close(int descriptor) noexcept {
    RILL_ASSERT(find(descriptor) != nullptr, "close a file that this simulation has open, once");
    --count_;
    auto const last = std::move(open_[static_cast<std::size_t>(descriptor - first_descriptor)]);
}

int simulated_files::copy(int descriptor) {
    if (find(descriptor) == nullptr) return -EBADF;
    if (!world_.descriptor_left()) return -EMFILE;
    return enter(open_[static_cast<std::size_t>(descriptor - first_descriptor)]);
}

/// What the disk says to a call that looks, that changes names, or that needs room.
int simulated_files::failure_of_disk(access what) {
    if (world_.disk_gone()) return -EIO;
    if (!world_.disk_fails_by_chance()) return 0;
    if (world_.random().coin()) return -EIO;
    return what == access::fill ? -ENOSPC : -EACCES;
}

int simulated_files::place_of(int in, std::string_view path, bool beneath, place& out) const {
    if (in == AT_FDCWD) return tree_.find(tree_.top(), path, beneath, out);
    description const* const from = find(in);
    if (from == nullptr || from->node == nullptr) return -EBADF;
    if (!from->node->directory) return -ENOTDIR;
    return tree_.find(from->node, path, beneath, out);
}

int simulated_files::open_directory(std::string_view path) {
    place at;
    int const code = place_of(AT_FDCWD, path, false, at);
    if (code != 0) return code;
    if (at.found == nullptr) return -ENOENT;
    if (!at.found->directory) return -ENOTDIR;
    if (!world_.descriptor_left(false)) return -EMFILE;
    auto made = std::make_shared<description>();
    made->node = at.found;
    return enter(std::move(made));
}

int simulated_files::open_at(int in, std::string_view path, int flags, std::uint32_t mode,
                             bool beneath) {
    bool const makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    int const failed = failure_of_disk(makes ? access::fill : access::look);
    return failed != 0 ? failed : open(in, path, flags, mode, beneath);
}

int simulated_files::open(int in, std::string_view path, int flags, std::uint32_t mode,
                          bool beneath) {
    place at;
    if (int const code = place_of(in, path, beneath, at); code != 0) return code;
    if (!world_.descriptor_left()) return -EMFILE;
    auto made = std::make_shared<description>();
    if (int const code = node_to_open(at, path, flags, mode, made->node); code != 0) return code;
    bool const looks_only = (flags & O_PATH) != 0;
    made->reads = !looks_only && (flags & O_ACCMODE) != O_WRONLY;
    made->writes = !looks_only && (flags & O_ACCMODE) != O_RDONLY;
    made->appends = (flags & O_APPEND) != 0;
    if ((flags & O_TRUNC) != 0 && made->writes && !made->node->content.empty()) {
        made->node->content.clear();
        made->node->modified = world_.wall_now();
        made->node->tell(watch_calls::kind::modified);
    }
    return enter(std::move(made));
}

/// The node that is opened; it is made where that is asked for.
int simulated_files::node_to_open(place const& at, std::string_view path, int flags,
                                  std::uint32_t mode, node_ptr& out) {
    bool const writes = (flags & O_ACCMODE) != O_RDONLY;
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        if (at.found == nullptr) return -ENOENT;
        if (!at.found->directory) return -ENOTDIR;
        if (int const code = tree_.lets_change(*at.found); code != 0) return code;
        out = tree_.make(false, mode & ~umask_of_world, world_.wall_now());
        out->may_be_named = true;
        return 0;
    }
    if (at.found == nullptr) {
        if ((flags & O_CREAT) == 0) return -ENOENT;
        if (path.back() == '/') return -EISDIR;
        if (int const code = tree_.lets_change(*at.folder); code != 0) return code;
        out = tree_.make(false, mode & 07777 & ~umask_of_world, world_.wall_now());
        simulated_tree::attach(at, out, world_.wall_now());
        return 0;
    }
    simulated_node const& found = *at.found;
    if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) return -EEXIST;
    if (found.directory && (writes || (flags & O_CREAT) != 0)) return -EISDIR;
    if (!found.directory && (flags & O_DIRECTORY) != 0) return -ENOTDIR;
    bool const reads = (flags & O_ACCMODE) != O_WRONLY;
    std::uint32_t const rights = (reads ? 0400U : 0U) | (writes ? 0200U : 0U);
    if ((flags & O_PATH) == 0 && !found.lets(rights)) return -EACCES;
    out = at.found;
    return 0;
}

result<file_calls::status> simulated_files::status_of(int descriptor) const {
    description const* const file = find(descriptor);
    if (file == nullptr) return system_error(EBADF);
    return file->node != nullptr ? file->node->status() : file_calls::status();
}

result<std::vector<file_calls::entry>> simulated_files::list(int directory, std::string_view after,
                                                             std::size_t most) {
    if (int const failed = failure_of_disk(access::look); failed != 0) return system_error(-failed);
    description const* const file = find(directory);
    if (file == nullptr || file->node == nullptr) return system_error(EBADF);
    if (!file->node->directory) return system_error(ENOTDIR);
    std::vector<file_calls::entry> found;
    auto const& entries = file->node->entries;
    for (auto at = entries.upper_bound(after); at != entries.end() && found.size() < most; ++at) {
        found.push_back({at->first, at->second->status()});
    }
    return found;
}

int simulated_files::make_directory(int in, std::string_view name, std::uint32_t mode) {
    if (int const failed = failure_of_disk(access::fill); failed != 0) return failed;
    place at;
    if (int const code = place_of(in, name, true, at); code != 0) return code;
    if (at.found != nullptr) return -EEXIST;
    if (int const code = tree_.lets_change(*at.folder); code != 0) return code;
    auto const now = world_.wall_now();
    simulated_tree::attach(at, tree_.make(true, mode & 01777 & ~umask_of_world, now), now);
    return 0;
}

int simulated_files::remove(int in, std::string_view name, bool directory) {
    if (int const failed = failure_of_disk(access::change); failed != 0) return failed;
    place at;
    if (int const code = place_of(in, name, true, at); code != 0) return code;
    if (at.found == nullptr) return -ENOENT;
    if (int const code = tree_.lets_change(*at.folder); code != 0) return code;
    if (at.found->directory != directory) return directory ? -ENOTDIR : -EISDIR;
    if (!at.found->entries.empty()) return -ENOTEMPTY;
    if (!directory) at.found->tell_own(watch_calls::kind::status);  // it has one name less
    at.found->tell_above(watch_calls::kind::removed);
    simulated_tree::detach(at.found, world_.wall_now());
    return 0;
}

int simulated_files::rename(int from_in, std::string_view from, int to_in, std::string_view to,
                            bool replace) {
    if (int const failed = failure_of_disk(access::change); failed != 0) return failed;
    place source;
    if (int const code = place_of(from_in, from, true, source); code != 0) return code;
    place target;
    if (int const code = place_of(to_in, to, true, target); code != 0) return code;
    return tree_.rename(source, target, replace, world_.wall_now());
}

int simulated_files::link(int file, int in, std::string_view name) {
    if (int const failed = failure_of_disk(access::fill); failed != 0) return failed;
    description const* const from = find(file);
    if (from == nullptr || from->node == nullptr) return -EBADF;
    place at;
    if (int const code = place_of(in, name, true, at); code != 0) return code;
    if (at.found != nullptr) return -EEXIST;
    if (int const code = tree_.lets_change(*at.folder); code != 0) return code;
    // One name is all that a file of this world has.
    if (!from->node->may_be_named) return from->node->parent == nullptr ? -ENOENT : -EMLINK;
    simulated_tree::attach(at, from->node, world_.wall_now());
    return 0;
}

int simulated_files::sync(int descriptor) {
    if (find(descriptor) == nullptr) return -EBADF;
    return world_.disk_gone() || world_.disk_fails_by_chance() ? -EIO : 0;
}

int simulated_files::truncate(int descriptor, std::uint64_t size) {
    if (int const failed = failure_of_disk(access::fill); failed != 0) return failed;
    description* const file = find(descriptor);
    if (file == nullptr) return -EBADF;
    if (file->node == nullptr || !file->writes) return -EINVAL;
    if (size > most_file_bytes) return -EFBIG;
    file->node->content.resize(static_cast<std::size_t>(size));
    file->node->modified = world_.wall_now();
    file->node->tell(watch_calls::kind::modified);
    return 0;
}

result<pipe_calls::ends> simulated_files::open_pipe() {
    auto const between = std::make_shared<simulated_pipe>(world_);
    auto reader = std::make_shared<description>();
    auto writer = std::make_shared<description>();
    reader->pipe = writer->pipe = between;
    reader->reads = writer->writes = true;
    if (!world_.descriptor_left()) return system_error(EMFILE);
    int const first = enter(std::move(reader));
    if (!world_.descriptor_left()) {
        close(first);
        return system_error(EMFILE);
    }
    return pipe_calls::ends{.reader = first, .writer = enter(std::move(writer))};
}

result<pipe_calls::nature> simulated_files::nature_of(int descriptor) const {
    // Standard input and what else is outside of the world.
    if (!owns(descriptor)) return errc::unsupported;
    description const* const open = find(descriptor);
    if (open == nullptr) return system_error(EBADF);
    return pipe_calls::nature{.file = open->node != nullptr,
                              .nonblocking = open->node == nullptr,
                              .write_only = open->writes && !open->reads};
}

int simulated_files::read_pipe(int descriptor, mutable_bytes into) {
    description* const open = find(descriptor);
    return open != nullptr && open->pipe != nullptr && open->reads ? open->pipe->read(into)
                                                                   : -EBADF;
}

int simulated_files::write_pipe(int descriptor, bytes from) {
    description* const open = find(descriptor);
    return open != nullptr && open->pipe != nullptr && open->writes ? open->pipe->write(from)
                                                                    : -EBADF;
}

int simulated_files::open_watches() {
    if (!world_.descriptor_left()) return -EMFILE;
    auto made = std::make_shared<description>();
    made->queue = std::make_unique<simulated_watches>();
    return enter(std::move(made));
}

int simulated_files::watch(int queue, std::string_view path) {
    simulated_watches* const watches = watches_of(queue);
    if (watches == nullptr) return -EINVAL;
    place at;
    if (int const code = place_of(AT_FDCWD, path, false, at); code != 0) return code;
    if (at.found == nullptr) return -ENOENT;
    return at.found->lets(0400) ? watches->add(at.found) : -EACCES;
}

bool simulated_files::unwatch(int queue, int watch) {
    return watches_of(queue)->remove(watch);
}

std::vector<watch_calls::event> simulated_files::read_watches(int queue) {
    return watches_of(queue)->read();
}

simulated_watches* simulated_files::watches_of(int descriptor) noexcept {
    description const* const file = find(descriptor);
    return file != nullptr ? file->queue.get() : nullptr;
}

bytes simulated_files::view(int descriptor, std::uint64_t offset, std::uint64_t size) const {
    description const* const file = find(descriptor);
    if (file == nullptr || file->node == nullptr || offset >= file->node->content.size()) return {};
    return bytes(std::string_view(file->node->content).substr(offset, size));
}

void simulated_files::start(request& what, simulated_sink& by) {
    simulated_wait wait(what, by);
    if (waits_for_state(what.what())) {
        description* const open = find(what.descriptor());
        if (open == nullptr) return wait.complete(-EBADF);
        if (open->pipe != nullptr) return open->pipe->wait(wait, open->reads);
        if (open->queue != nullptr) return open->queue->wait(wait);
        return wait.complete(POLLIN | POLLOUT);  // a file is always ready
    }
    // A disk takes its time and cannot be told to stop, as most cannot.
    world_.at(later(world_.now(), world_.faults().delay()),
              [this, wait]() mutable { wait.complete(answer(wait.what())); });
}

void simulated_files::cancel(request const& what) {
    if (!waits_for_state(what.what())) return;
    description* const open = find(what.descriptor());
    if (open == nullptr) return;
    if (open->pipe != nullptr) open->pipe->cancel(what);
    if (open->queue != nullptr) open->queue->cancel(what);
}

int simulated_files::answer(request const& what) {
    switch (what.what()) {
        case verb::open_beneath:
            return open_at(what.descriptor(), what.path(), O_RDONLY, 0, true);
        case verb::read_file:
            return read(what);
        case verb::write_file:
            return write(what);
        default:
            return -EOPNOTSUPP;
    }
}

std::size_t simulated_files::part(std::size_t size) {
    if (size == 0 || !world_.faults().roll(&simulation::faults::short_files)) return size;
    return world_.faults().part_of(size);
}

int simulated_files::read(request const& what) {
    if (world_.disk_gone() || world_.disk_fails_by_chance()) return -EIO;
    description* const file = find(what.descriptor());
    if (file == nullptr || !file->reads) return -EBADF;
    if (file->node == nullptr) return -ESPIPE;
    if (file->node->directory) return -EISDIR;
    bool const here = what.offset() == request::here;
    bytes const found =
        view(what.descriptor(), here ? file->position : what.offset(), what.into().size());
    std::size_t const count = copy_bytes(what.into(), found.first(part(found.size())));
    if (here) file->position += count;
    return static_cast<int>(count);
}

int simulated_files::write(request const& what) {
    description* const file = find(what.descriptor());
    if (file == nullptr || !file->writes) return -EBADF;
    if (file->node == nullptr) return -ESPIPE;
    std::string_view const content = what.pieces()[0].text();
    if (what.offset() == request::here) return write_on(what.descriptor(), content);
    return write_at(*file, what.offset(), content);
}

int simulated_files::write_on(int descriptor, std::string_view content) {
    description* const file = find(descriptor);
    if (file == nullptr || file->node == nullptr || !file->writes) return -EBADF;
    int const count = write_at(*file, file->position, content);
    if (count > 0) file->position += static_cast<std::uint64_t>(count);
    return count;
}

int simulated_files::write_at(description& to, std::uint64_t offset, std::string_view content) {
    if (int const failed = failure_of_disk(access::fill); failed != 0) return failed;
    std::string& all = to.node->content;
    if (to.appends) offset = all.size();
    std::string_view const written = content.substr(0, part(content.size()));
    if (offset > most_file_bytes || written.size() > most_file_bytes - offset) return -EFBIG;
    std::size_t const end = static_cast<std::size_t>(offset) + written.size();
    if (all.size() < end) all.resize(end);
    all.replace(static_cast<std::size_t>(offset), written.size(), written);
    to.node->modified = world_.wall_now();
    to.node->tell(watch_calls::kind::modified);
    return static_cast<int>(written.size());
}

}  // namespace rill
