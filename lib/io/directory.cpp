// Names below a root.
#include "rill/io/directory.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>
#include <vector>

#include "io/file_jobs.hpp"
#include "rill/base/error.hpp"
#include "rill/rt/blocking.hpp"
#include "rill/rt/core.hpp"
#include "rt/driver.hpp"

namespace rill::file {

namespace {

using path_calls::owned;

void check(result<void> const& outcome, char const* what, std::string_view path) {
    if (!outcome) throw error(outcome.error(), what, path);
}

/// A name that nobody else has.
std::string unique_name() {
    std::array<std::byte, 10> random{};
    core::current().io().random({random.data(), random.size()});
    std::string name;
    for (std::byte const each : random) {
        name += static_cast<char>('a' + (std::to_integer<int>(each) & 15));
        name += static_cast<char>('a' + (std::to_integer<int>(each) >> 4));
    }
    return name;
}

}  // namespace

task<status> status_of(directory_ref in, std::string path, bool follow) {
    owned folder = copy_for_job(in.descriptor(), "look at", path);
    auto const found = co_await blocking(path_calls::status_below, std::move(folder), path, follow);
    if (!found) throw error(found.error(), "look at", path);
    co_return from(*found);
}

task<> make_directory(directory_ref in, std::string path, bool parents, std::uint32_t mode) {
    owned folder = copy_for_job(in.descriptor(), "make the directory", path);
    auto const made =
        co_await blocking(path_calls::make_directory, std::move(folder), path, mode, parents);
    check(made, "make the directory", path);
}

task<> remove(directory_ref in, std::string path) {
    owned folder = copy_for_job(in.descriptor(), "remove", path);
    auto const removed = co_await blocking(path_calls::remove, std::move(folder), path);
    check(removed, "remove", path);
}

task<> rename(directory_ref in, std::string from, std::string to, bool replace) {
    co_await rename(in, std::move(from), in, std::move(to), replace);
}

task<> rename(directory_ref in, std::string from, directory_ref to_in, std::string to,
              bool replace) {
    owned source = copy_for_job(in.descriptor(), "rename", from);
    owned target = copy_for_job(to_in.descriptor(), "rename", from);
    auto const renamed = co_await blocking(path_calls::rename, std::move(source), from,
                                           std::move(target), to, replace);
    check(renamed, "rename", from + " to " + to);
}

task<> replace(directory_ref in, std::string path, std::string content, std::uint32_t mode) {
    owned folder = copy_for_job(in.descriptor(), "replace", path);
    auto const replaced = co_await blocking(path_calls::replace, std::move(folder), path,
                                            std::move(content), mode, unique_name());
    check(replaced, "replace", path);
}

task<handle> temporary(directory_ref in, std::string path, std::uint32_t mode) {
    owned folder = copy_for_job(in.descriptor(), "make a temporary file in", path);
    auto made = co_await blocking(path_calls::open_unnamed, std::move(folder), path, mode);
    if (!made) throw error(made.error(), "make a temporary file in", path);
    co_return handle(made->release());
}

task<> publish(handle const& temporary, directory_ref in, std::string path) {
    owned file = copy_for_job(temporary.descriptor(), "publish", path);
    owned folder = copy_for_job(in.descriptor(), "publish", path);
    auto const published = co_await blocking(path_calls::publish, std::move(file),
                                             std::move(folder), path, unique_name());
    check(published, "publish", path);
}

namespace {

constexpr std::size_t entries_at_a_time = 128;

/// One open directory of a walk. Goes through the pool and back, so that a job that is given up
/// takes it along.
struct level {
    path_calls::directory_reader reader;
    std::string path;  // with a '/' at its end, or empty
    std::deque<file_calls::entry> entries;
    bool at_end = false;
};

result<level> more_of(level open) {
    auto found = open.reader.read(entries_at_a_time);
    if (!found) return found.error();
    open.at_end = found->empty();
    open.entries.assign(std::make_move_iterator(found->begin()),
                        std::make_move_iterator(found->end()));
    return open;
}

result<level> open_start(owned const& in, std::string const& path) {
    path_calls::how const to_read;
    auto opened = path_calls::open_below(in, path, to_read);
    if (!opened) return opened.error();
    auto reader = path_calls::directory_reader::adopt(*std::move(opened));
    if (!reader) return reader.error();
    level made;
    made.reader = *std::move(reader);
    return more_of(std::move(made));
}

result<level> open_below_level(owned const& in, std::string const& name, std::string path) {
    auto reader = path_calls::directory_reader::open(in, name);
    if (!reader) return reader.error();
    level made;
    made.reader = *std::move(reader);
    made.path = std::move(path);
    return more_of(std::move(made));
}

}  // namespace

struct walk::state {
    int in;
    std::string start;
    walk_options with;
    bool opened = false;
    bool busy = false;             // from a cancelled wait on: a job has the level
    std::string to_enter = {};     // the directory that was given last
    std::vector<level> open = {};  // the innermost last
    std::size_t unreadable = 0;
};

walk::walk(directory_ref in, std::string path, walk_options with)
    : state_(new state{.in = in.descriptor(), .start = std::move(path), .with = with}) {}

walk::~walk() = default;

void walk::skip() noexcept {
    state_->to_enter.clear();
}

std::size_t walk::unreadable() const noexcept {
    return state_->unreadable;
}

task<std::optional<walk_entry>> walk::next() {
    state& now = *state_;
    RILL_ASSERT(!now.busy, "a walk whose wait was cancelled is over");
    now.busy = true;
    if (!now.opened) {
        owned in = copy_for_job(now.in, "walk", now.start);
        auto first = co_await blocking(open_start, std::move(in), now.start);
        if (!first) throw error(first.error(), "walk", now.start);
        now.open.push_back(*std::move(first));
        now.opened = true;
    } else if (!now.to_enter.empty()) {
        level const& above = now.open.back();
        std::string const name = std::exchange(now.to_enter, {});
        owned in = copy_for_job(above.reader.descriptor(), "walk", name);
        std::string below = above.path + name + "/";
        auto entered = co_await blocking(open_below_level, std::move(in), name, std::move(below));
        if (entered) {
            now.open.push_back(*std::move(entered));
        } else {
            ++now.unreadable;
        }
    }
    while (!now.open.empty() && now.open.back().entries.empty()) {
        if (now.open.back().at_end) {
            now.open.pop_back();
            continue;
        }
        level last = std::move(now.open.back());
        now.open.pop_back();
        auto more = co_await blocking(more_of, std::move(last));
        if (more) {
            now.open.push_back(*std::move(more));
        } else {
            ++now.unreadable;
        }
    }
    now.busy = false;
    if (now.open.empty()) co_return std::nullopt;
    level& at = now.open.back();
    file_calls::entry found = std::move(at.entries.front());
    at.entries.pop_front();
    walk_entry entry{.path = at.path + found.name,
                     .status = from(found.what),
                     .depth = static_cast<std::uint32_t>(now.open.size() - 1)};
    entry.entered = entry.status.directory && entry.depth < now.with.most_depth;
    if (entry.entered) now.to_enter = std::move(found.name);
    co_return entry;
}

}  // namespace rill::file
