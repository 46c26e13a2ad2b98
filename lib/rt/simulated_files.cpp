// The files of a simulated world.
#include "simulated_files.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "simulated_world.hpp"

namespace rill {

namespace {

constexpr int first_descriptor = 2'000'000;
constexpr int end_of_descriptors = 3'000'000;

/// `path` below `folder` without `.`, `..` and empty parts; empty where it leads out of `folder`.
std::string joined(std::string_view folder, std::string_view path) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= path.size();) {
        std::size_t const end = std::min(path.find('/', at), path.size());
        std::string_view const part = path.substr(at, end - at);
        at = end + 1;
        if (part.empty() || part == ".") continue;
        if (part != "..") {
            parts.push_back(part);
        } else if (parts.empty()) {
            return {};
        } else {
            parts.pop_back();
        }
    }
    std::string whole(folder == "/" ? "" : folder);
    for (std::string_view const part : parts) (whole += '/') += part;
    return whole.empty() ? "/" : whole;
}

std::string_view folder_of(std::string_view path) {
    return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

}  // namespace

simulated_files* simulated_files::of_thread() noexcept {
    simulated_world* const world = simulated_world::of_thread();
    return world != nullptr ? &world->files() : nullptr;
}

simulated_files::node& simulated_files::make(std::string path, bool directory) {
    if (path != "/" && tree_.find(folder_of(path)) == tree_.end()) {
        make(std::string(folder_of(path)), true);
    }
    auto& place = tree_[std::move(path)];
    // What is open of an earlier file of this name stays what it was.
    place = std::make_shared<node>();
    place->directory = directory;
    place->inode = next_inode_++;
    place->modified =
        std::chrono::floor<std::chrono::seconds>(world_.wall_now()).time_since_epoch().count();
    return *place;
}

void simulated_files::add(std::string_view path, std::string_view content) {
    make(joined("/", path), false).content = content;
}

simulated_files::open_file const* simulated_files::find(int descriptor) const noexcept {
    auto const index = static_cast<std::size_t>(descriptor - first_descriptor);
    if (descriptor < first_descriptor || index >= open_.size()) return nullptr;
    return open_[index].of != nullptr ? &open_[index] : nullptr;
}

bool simulated_files::owns(int descriptor) const noexcept {
    return descriptor >= first_descriptor && descriptor < end_of_descriptors;
}

result<int> simulated_files::open(std::string path, bool by_chance) {
    auto const found = tree_.find(path);
    if (found == tree_.end()) return system_error(ENOENT);
    if (!world_.descriptor_left(by_chance)) return system_error(EMFILE);
    auto place = std::find_if(open_.begin(), open_.end(),
                              [](open_file const& each) { return each.of == nullptr; });
    if (place == open_.end()) place = open_.insert(place, open_file());
    place->path = std::move(path);
    place->of = found->second;
    ++count_;
    return first_descriptor + static_cast<int>(place - open_.begin());
}

result<int> simulated_files::open_directory(std::string_view path) {
    std::string whole = joined("/", path);
    auto const found = tree_.find(whole);
    if (found != tree_.end() && !found->second->directory) return system_error(ENOTDIR);
    // Not by chance: a root is opened as a program starts.
    return open(std::move(whole), false);
}

void simulated_files::close(int descriptor) noexcept {
    RILL_ASSERT(find(descriptor) != nullptr, "close a file that this simulation has open, once");
    open_[static_cast<std::size_t>(descriptor - first_descriptor)] = {};
    --count_;
}

file_calls::status simulated_files::status(node const& of) noexcept {
    return {.regular = !of.directory,
            .directory = of.directory,
            .size = of.content.size(),
            .modified = of.modified,
            .device = 1,
            .inode = of.inode};
}

result<file_calls::status> simulated_files::status_of(int descriptor) const {
    open_file const* const file = find(descriptor);
    if (file == nullptr) return system_error(EBADF);
    return status(*file->of);
}

result<std::vector<file_calls::entry>> simulated_files::list(int directory) const {
    open_file const* const file = find(directory);
    if (file == nullptr) return system_error(EBADF);
    if (!file->of->directory) return system_error(ENOTDIR);
    std::vector<file_calls::entry> found;
    for (auto const& [path, each] : tree_) {
        if (path == "/" || folder_of(path) != file->path) continue;
        found.push_back({path.substr(path.rfind('/') + 1), status(*each)});
    }
    return found;
}

bytes simulated_files::view(int descriptor, std::uint64_t offset, std::uint64_t size) const {
    open_file const* const file = find(descriptor);
    if (file == nullptr || offset >= file->of->content.size()) return {};
    return bytes(std::string_view(file->of->content).substr(offset, size));
}

void simulated_files::start(request& what, simulated_sink& by) {
    simulated_wait wait(what, by);
    // A disk takes its time and cannot be told to stop, as most cannot.
    world_.at(later(world_.now(), world_.faults().delay()),
              [this, wait]() mutable { wait.complete(answer(wait.what())); });
}

int simulated_files::answer(request const& what) {
    if (world_.disk_fails()) return what.what() == verb::write_file ? -ENOSPC : -EIO;
    switch (what.what()) {
        case verb::open_beneath:
            return open_beneath(what.descriptor(), what.path());
        case verb::read_file:
            return read(what);
        case verb::write_file:
            return write(what);
        default:
            return -EOPNOTSUPP;
    }
}

int simulated_files::open_beneath(int directory, std::string_view path) {
    open_file const* const from = find(directory);
    if (from == nullptr) return -EBADF;
    if (!from->of->directory) return -ENOTDIR;
    if (path.starts_with('/')) return -EXDEV;
    std::string whole = joined(from->path, path);
    if (whole.empty()) return -EXDEV;
    auto const opened = open(std::move(whole), true);
    return opened ? *opened : -opened.error().value();
}

std::size_t simulated_files::part(std::size_t size) {
    if (size == 0 || !world_.faults().roll(&simulation::faults::short_files)) return size;
    return world_.faults().part_of(size);
}

int simulated_files::read(request const& what) {
    open_file const* const file = find(what.descriptor());
    if (file == nullptr) return -EBADF;
    if (file->of->directory) return -EISDIR;
    bytes const found = view(what.descriptor(), what.offset(), what.into().size());
    return static_cast<int>(copy_bytes(what.into(), found.first(part(found.size()))));
}

int simulated_files::write(request const& what) {
    open_file const* const file = find(what.descriptor());
    if (file == nullptr) return -EBADF;
    std::string_view const all = what.pieces()[0].text();
    std::string_view const written = all.substr(0, part(all.size()));
    std::string& content = file->of->content;
    if (content.size() < what.offset() + written.size()) {
        content.resize(static_cast<std::size_t>(what.offset()) + written.size());
    }
    content.replace(static_cast<std::size_t>(what.offset()), written.size(), written);
    return static_cast<int>(written.size());
}

}  // namespace rill
