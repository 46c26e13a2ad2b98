// The tree of names in a simulated world: directories and files in memory, without links, and who
// watches them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "file_calls.hpp"
#include "watch_calls.hpp"

namespace rill {

class simulated_watches;

/// A file or a directory, as long as it has a name or is open.
struct simulated_node {
    struct watcher {
        simulated_watches* queue;
        int number;
    };

    bool directory = false;
    std::uint64_t inode = 0;
    std::uint32_t permissions = 0;
    std::chrono::system_clock::time_point modified{};
    std::string content;
    std::map<std::string, std::shared_ptr<simulated_node>, std::less<>> entries;
    // Its one name. Null for the top, and for what has no name (yet, or any more).
    simulated_node* parent = nullptr;
    std::string name;
    bool may_be_named = false;  // made without a name, and had none since
    std::vector<watcher> watchers;

    [[nodiscard]] file_calls::status status() const noexcept;
    /// Whether its owner, as whom a simulated program runs, has all of these rights (0400: to
    /// read).
    [[nodiscard]] bool lets(std::uint32_t rights) const noexcept {
        return (permissions & rights) == rights;
    }
    /// Tells those who watch it.
    void tell_own(watch_calls::kind what) const;
    /// Tells those who watch the directory that it is in.
    void tell_above(watch_calls::kind what) const;
    void tell(watch_calls::kind what) const {
        tell_above(what);
        tell_own(what);
    }

    simulated_node() = default;
    simulated_node(simulated_node const&) = delete;
    simulated_node& operator=(simulated_node const&) = delete;
    /// Whoever still watches it is told that it is gone.
    ~simulated_node();
};

/// Names and what they lead to. Results are 0 or a negated errno, those of Linux.
class simulated_tree {
public:
    using node_ptr = std::shared_ptr<simulated_node>;

    /// Where a path leads: `found`, or the directory that has no such name. `name` is empty where
    /// the path ends in `.`, `..` or nothing.
    struct place {
        node_ptr folder;
        std::string name;
        node_ptr found;
    };

    simulated_tree();

    [[nodiscard]] node_ptr const& top() const noexcept { return top_; }
    /// A node without a name.
    [[nodiscard]] node_ptr make(bool directory, std::uint32_t permissions,
                                std::chrono::system_clock::time_point now);
    /// Follows `path` from `start`, which it leaves with `beneath` for -EXDEV.
    [[nodiscard]] int find(node_ptr const& start, std::string_view path, bool beneath,
                           place& out) const;
    /// 0 where entries of this directory can be made and removed.
    [[nodiscard]] int lets_change(simulated_node const& folder) const noexcept;
    /// Gives `node`, which has no name, the name of `at`, which nothing has.
    static void attach(place const& at, node_ptr const& node,
                       std::chrono::system_clock::time_point now);
    /// Takes its name away.
    static void detach(node_ptr const& node, std::chrono::system_clock::time_point now);
    /// Moves `from` to `to`, in place of what is there.
    [[nodiscard]] int rename(place const& from, place const& to, bool replace,
                             std::chrono::system_clock::time_point now);

private:
    node_ptr top_;
    std::uint64_t next_inode_ = 1;
};

}  // namespace rill
