// Small files that one core keeps in memory, by the file they are and the names that led to them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "rill/base/time.hpp"
#include "rill/http/headers.hpp"
#include "rill/http/response.hpp"
#include "rill/io/file.hpp"

namespace rill::web {

// One state of a file, as it was read. Never changed: answers that are being sent share it.
struct file_content {
    file::status about;
    std::string text;
    http::headers fields;  // of an answer with all of it
};

// True when `left` and `right` are the same state of the same file.
[[nodiscard]] bool same_state(file::status const& left, file::status const& right) noexcept;

// True when a change that comes after `now` will change the times of the file, too: they are
// coarse, and what was written a moment ago may be written again within the same tick.
[[nodiscard]] bool has_settled(file::status const& what,
                               std::chrono::system_clock::time_point now) noexcept;

struct file_cache_limits {
    std::size_t bytes = 0;       // of contents together; 0 keeps nothing
    std::size_t file_bytes = 0;  // of one
    std::size_t names = 0;
    duration trusted_for = {};  // from the moment at which a name was looked at
};

// Names are forgotten in the order in which they were last asked for, and a content goes with the
// last of its names. So many spellings of one path are one name (they are one before they come
// here), many links to one file are many names and one content, and neither grows beyond its bound.
//
// Core: owner core only.
class file_cache {
public:
    explicit file_cache(file_cache_limits const& limits) noexcept : limits_(limits) {}

    // What a name leads to, and the type that goes with the name.
    struct kept_name {
        std::shared_ptr<file_content const> content;
        http::literal type;
    };
    // The same name may be a file's and, as a directory's, its index.
    struct name_key {
        std::string_view name;
        bool is_directory = false;
        friend bool operator==(name_key const&, name_key const&) noexcept = default;
    };

    // True when a file of that size may be kept.
    [[nodiscard]] bool takes(file::status const& what) const noexcept {
        return what.regular && limits_.names != 0 && what.size <= limits_.file_bytes &&
               what.size <= limits_.bytes;
    }
    // What is known of the name and may be trusted at `now`; no content for nothing.
    [[nodiscard]] kept_name find(name_key name, time_point now);
    // The content of the file, where it is known in this very state.
    [[nodiscard]] std::shared_ptr<file_content const> find(file::status const& what) const;
    // The name has led there at `now`.
    void keep(name_key name, std::shared_ptr<file_content const> content, http::literal type,
              time_point now);
    // The name leads there no more.
    void forget(name_key name);

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t names() const noexcept { return order_.size(); }
    [[nodiscard]] std::size_t contents() const noexcept { return files_.size(); }

private:
    struct file_key {
        std::uint64_t device;
        std::uint64_t inode;
        friend bool operator==(file_key const&, file_key const&) noexcept = default;
    };
    struct hash {
        std::size_t operator()(name_key const& key) const noexcept;
        std::size_t operator()(file_key const& key) const noexcept;
    };
    struct file_entry {
        std::shared_ptr<file_content const> content;
        std::size_t names = 0;
    };
    using files = std::unordered_map<file_key, file_entry, hash>;
    struct entry {
        std::string name;  // what the key of the index views
        bool is_directory;
        http::literal type;
        time_point trusted_until;
        files::iterator file;
    };
    using order = std::list<entry>;

    static file_key key_of(file::status const& what) noexcept { return {what.device, what.inode}; }
    void drop(order::iterator which);

    file_cache_limits limits_;
    files files_;
    order order_;  // the one that was asked for last comes first
    std::unordered_map<name_key, order::iterator, hash> index_;
    std::size_t bytes_ = 0;
};

}  // namespace rill::web
