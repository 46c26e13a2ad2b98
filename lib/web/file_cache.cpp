// Small files that one core keeps in memory.
#include "web/file_cache.hpp"

#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

namespace rill::web {

namespace {

auto state_of(file::status const& what) noexcept {
    return std::tuple(what.device, what.inode, what.size, what.modified, what.modified_ns);
}

// Longer than a tick of any kernel; and where a file system counts whole seconds, or two of them.
constexpr duration fine_tick = 100ms;
constexpr duration coarse_tick = 2s;

}  // namespace

bool same_state(file::status const& left, file::status const& right) noexcept {
    return state_of(left) == state_of(right);
}

bool has_settled(file::status const& what, std::chrono::system_clock::time_point now) noexcept {
    using std::chrono::seconds;
    duration const tick = what.modified_ns == 0 ? coarse_tick : fine_tick;
    auto const whole = std::chrono::floor<seconds>(now.time_since_epoch());
    // A time of far away would not fit into the clock's nanoseconds.
    if (what.modified > whole.count()) return false;
    if (what.modified < whole.count() - 10) return true;
    auto const modified = seconds(what.modified) + std::chrono::nanoseconds(what.modified_ns);
    return now.time_since_epoch() - modified >= tick;
}

std::size_t file_cache::hash::operator()(name_key const& key) const noexcept {
    return std::hash<std::string_view>()(key.name) + (key.is_directory ? 1 : 0);
}

std::size_t file_cache::hash::operator()(file_key const& key) const noexcept {
    // Inode numbers count up; the multiplication spreads them over the table.
    return static_cast<std::size_t>((key.inode + (key.device << 32)) * 0x9e3779b97f4a7c15);
}

file_cache::kept_name file_cache::find(name_key name, time_point now) {
    auto const found = index_.find(name);
    if (found == index_.end()) return {};
    entry const& what = *found->second;
    if (now >= what.trusted_until) return {};
    order_.splice(order_.begin(), order_, found->second);
    return {what.file->second.content, what.type};
}

std::shared_ptr<file_content const> file_cache::find(file::status const& what) const {
    auto const found = files_.find(key_of(what));
    if (found == files_.end()) return nullptr;
    auto const& content = found->second.content;
    return same_state(content->about, what) ? content : nullptr;
}

void file_cache::keep(name_key name, std::shared_ptr<file_content const> content,
                      http::literal type, time_point now) {
    if (auto const known = index_.find(name); known != index_.end()) {
        entry& same = *known->second;
        if (same.file->second.content == content) {
            same.trusted_until = later(now, limits_.trusted_for);
            order_.splice(order_.begin(), order_, known->second);
            return;
        }
        drop(known->second);
    }
    auto const [file, is_new] = files_.try_emplace(key_of(content->about));
    file_entry& there = file->second;
    // A state that has passed is no other name's either.
    if (!is_new) bytes_ -= there.content->text.size();
    bytes_ += content->text.size();
    there.content = std::move(content);
    ++there.names;
    order_.push_front({.name = std::string(name.name),
                       .is_directory = name.is_directory,
                       .type = type,
                       .trusted_until = later(now, limits_.trusted_for),
                       .file = file});
    index_.emplace(name_key{order_.front().name, name.is_directory}, order_.begin());
    while (order_.size() > limits_.names || bytes_ > limits_.bytes) drop(std::prev(order_.end()));
}

void file_cache::forget(name_key name) {
    auto const found = index_.find(name);
    if (found != index_.end()) drop(found->second);
}

void file_cache::drop(order::iterator which) {
    index_.erase({which->name, which->is_directory});
    if (--which->file->second.names == 0) {
        bytes_ -= which->file->second.content->text.size();
        files_.erase(which->file);
    }
    order_.erase(which);
}

}  // namespace rill::web
