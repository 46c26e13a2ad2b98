// The tree of names in a simulated world.
#include "simulated_tree.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "simulated_watches.hpp"

namespace rill {

file_calls::status simulated_node::status() const noexcept {
    auto const seconds = std::chrono::floor<std::chrono::seconds>(modified);
    return {.regular = !directory,
            .directory = directory,
            .size = content.size(),
            .modified = seconds.time_since_epoch().count(),
            .modified_ns = static_cast<std::uint32_t>(
                std::chrono::duration_cast<std::chrono::nanoseconds>(modified - seconds).count()),
            .device = 1,
            .inode = inode,
            .permissions = permissions};
}

void simulated_node::tell_own(watch_calls::kind what) const {
    for (watcher const& each : watchers) each.queue->tell({what, each.number, {}, directory});
}

void simulated_node::tell_above(watch_calls::kind what) const {
    if (parent == nullptr) return;
    for (watcher const& each : parent->watchers) {
        each.queue->tell({what, each.number, name, directory});
    }
}

simulated_node::~simulated_node() {
    for (watcher const& each : watchers) each.queue->end(each.number);
}

simulated_tree::simulated_tree() {
    top_ = make(true, 0755, {});
}

simulated_tree::node_ptr simulated_tree::make(bool directory, std::uint32_t permissions,
                                              std::chrono::system_clock::time_point now) {
    auto made = std::make_shared<simulated_node>();
    made->directory = directory;
    made->inode = next_inode_++;
    made->permissions = permissions;
    made->modified = now;
    return made;
}

int simulated_tree::find(node_ptr const& start, std::string_view path, bool beneath,
                         place& out) const {
    if (path.empty()) return -ENOENT;
    if (path.size() >= PATH_MAX) return -ENAMETOOLONG;
    if (path.front() == '/' && beneath) return -EXDEV;
    std::vector<node_ptr> way{path.front() == '/' ? top_ : start};
    out = {.folder = nullptr, .name = {}, .found = way.back()};
    for (std::size_t at = 0; at < path.size();) {
        std::size_t const end = std::min(path.find('/', at), path.size());
        std::string_view const name = path.substr(at, end - at);
        at = end + 1;
        // Something comes behind what was not found, or behind a file; also a mere '/'.
        if (out.found == nullptr && !name.empty()) return -ENOENT;
        if (out.found == nullptr) continue;
        if (!out.found->directory) return -ENOTDIR;
        if (name.empty() || name == ".") continue;
        if (name.size() > NAME_MAX) return -ENAMETOOLONG;
        if (!out.found->lets(0100)) return -EACCES;
        if (name == "..") {
            if (way.size() == 1 && beneath) return -EXDEV;
            if (way.size() > 1) way.pop_back();
            out = {.folder = nullptr, .name = {}, .found = way.back()};
            continue;
        }
        auto const entry = out.found->entries.find(name);
        bool const there = entry != out.found->entries.end();
        out = {.folder = out.found,
               .name = std::string(name),
               .found = there ? entry->second : nullptr};
        if (there) way.push_back(entry->second);
    }
    bool const wants_directory = path.back() == '/';
    if (wants_directory && out.found != nullptr && !out.found->directory) return -ENOTDIR;
    return 0;
}

int simulated_tree::lets_change(simulated_node const& folder) const noexcept {
    if (folder.parent == nullptr && &folder != top_.get()) return -ENOENT;  // removed meanwhile
    return folder.lets(0300) ? 0 : -EACCES;
}

void simulated_tree::attach(place const& at, node_ptr const& node,
                            std::chrono::system_clock::time_point now) {
    node->parent = at.folder.get();
    node->name = at.name;
    node->may_be_named = false;
    at.folder->modified = now;
    at.folder->entries.emplace(at.name, node);
    node->tell_above(watch_calls::kind::created);
}

void simulated_tree::detach(node_ptr const& node, std::chrono::system_clock::time_point now) {
    simulated_node& folder = *node->parent;
    folder.modified = now;
    folder.entries.erase(node->name);
    node->parent = nullptr;
    node->name.clear();
}

int simulated_tree::rename(place const& from, place const& to, bool replace,
                           std::chrono::system_clock::time_point now) {
    node_ptr const moved = from.found;
    node_ptr const lost = to.found;
    if (moved == nullptr) return -ENOENT;
    if (lost != nullptr && !replace) return -EEXIST;
    for (place const* const each : {&from, &to}) {
        if (int const code = lets_change(*each->folder); code != 0) return code;
    }
    for (simulated_node* above = to.folder.get(); above != nullptr; above = above->parent) {
        if (above == moved.get()) return -EINVAL;  // into itself
    }
    if (lost == moved) return 0;
    if (lost != nullptr) {
        if (moved->directory && !lost->directory) return -ENOTDIR;
        if (!moved->directory && lost->directory) return -EISDIR;
        if (!lost->entries.empty()) return -ENOTEMPTY;
        detach(lost, now);
        lost->tell_own(watch_calls::kind::status);
    }
    moved->tell_above(watch_calls::kind::removed);
    detach(moved, now);
    attach(to, moved, now);
    moved->tell_own(watch_calls::kind::removed);
    return 0;
}

}  // namespace rill
