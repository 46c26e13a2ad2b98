// Open files, and the root that nothing can leave.
#include "rill/io/file.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "io/file_jobs.hpp"
#include "rill/base/error.hpp"
#include "rill/rt/blocking.hpp"
#include "rill/rt/core.hpp"
#include "rt/driver.hpp"

namespace rill::file {

namespace {

result<std::size_t> count_or_error(int value) noexcept {
    if (value >= 0) return static_cast<std::size_t>(value);
    if (value == -ECANCELED) return errc::cancelled;
    return system_error(-value);
}

driver& io_of(operation const& what) noexcept {
    return core::of(*what.waiting_chain()).io();
}

}  // namespace

handle::~handle() {
    if (descriptor_ < 0) return;
    if (core* const home = core::current_or_null()) {
        home->io().close(descriptor_);
    } else {
        file_calls::close(descriptor_);
    }
}

result<status> handle::status() const noexcept {
    auto const found = file_calls::status_of(descriptor_);
    if (!found) return found.error();
    return from(*found);
}

root::root(std::string_view path) {
    auto const opened = file_calls::open_directory(std::string(path));
    if (!opened) {
        throw error(opened.error(), "open the directory", path, "it must exist and be a directory");
    }
    descriptor_ = *opened;
}

root::~root() {
    if (descriptor_ >= 0) file_calls::close(descriptor_);
}

bool open_operation::start() noexcept {
    io_of(*this).start(*this);
    return true;
}

void open_operation::cancel(cancel_reason) noexcept {
    io_of(*this).cancel(*this);
}

void open_operation::completed(int value, std::uint32_t, bool) noexcept {
    if (value >= 0) {
        set_result(handle(value));
    } else if (value == -ECANCELED) {
        set_result(errc::cancelled);
    } else {
        set_result(system_error(-value));
    }
    complete();
}

bool read_operation::start() noexcept {
    io_of(*this).start(*this);
    return true;
}

void read_operation::cancel(cancel_reason) noexcept {
    io_of(*this).cancel(*this);
}

void read_operation::completed(int value, std::uint32_t, bool) noexcept {
    set_result(count_or_error(value));
    complete();
}

bool write_operation::start() noexcept {
    io_of(*this).start(*this);
    return true;
}

void write_operation::cancel(cancel_reason) noexcept {
    io_of(*this).cancel(*this);
}

void write_operation::completed(int value, std::uint32_t, bool) noexcept {
    set_result(count_or_error(value));
    complete();
}

namespace {

path_calls::how how_to_open(open_options const& with) noexcept {
    return {.read = with.access != access::write,
            .write = with.access != access::read,
            .create = with.create,
            .exclusive = with.exclusive,
            .truncate = with.truncate,
            .append = with.append,
            .mode = with.mode};
}

}  // namespace

task<handle> open(std::string path, open_options with) {
    auto opened = co_await blocking(path_calls::open_file, path, how_to_open(with));
    if (!opened) throw error(opened.error(), "open", path);
    co_return handle(opened->release());
}

task<handle> open(directory_ref in, std::string path, open_options with) {
    path_calls::owned folder = copy_for_job(in.descriptor(), "open", path);
    auto opened =
        co_await blocking(path_calls::open_below, std::move(folder), path, how_to_open(with));
    if (!opened) throw error(opened.error(), "open", path);
    co_return handle(opened->release());
}

task<> write_all(handle const& to, bytes from, std::uint64_t offset) {
    while (!from.empty()) {
        std::size_t const count = co_await write(to, from, offset);
        // A disk that takes nothing and says no reason must not be asked again and again.
        if (count == 0) throw error(system_error(EIO), "write file");
        from = from.without_first(count);
        offset += count;
    }
}

task<std::string> read_all(handle const& from, std::size_t most) {
    constexpr std::size_t piece = 64 * 1024;
    std::string all;
    for (;;) {
        std::size_t const have = all.size();
        all.resize(have + std::min(piece, most - have + 1));
        mutable_bytes const room(all.data() + have, all.size() - have);
        std::size_t const count = co_await read(from, room, have);
        all.resize(have + count);
        if (count == 0) break;
        if (all.size() > most) throw error(errc::limit_exceeded, "read file");
    }
    co_return all;
}

task<> sync(handle const& what, sync_kind kind) {
    path_calls::owned file = copy_for_job(what.descriptor(), "sync", {});
    auto const synced =
        co_await blocking(path_calls::sync, std::move(file), kind == sync_kind::data);
    if (!synced) throw error(synced.error(), "sync");
}

task<> truncate(handle const& what, std::uint64_t size) {
    path_calls::owned file = copy_for_job(what.descriptor(), "truncate", {});
    auto const cut = co_await blocking(path_calls::truncate, std::move(file), size);
    if (!cut) throw error(cut.error(), "truncate");
}

task<result<std::vector<entry>>> list(handle const& directory) {
    int const descriptor = directory.descriptor();
    auto found = co_await blocking(file_calls::list, descriptor);
    if (!found) co_return found.error();
    std::vector<entry> entries;
    entries.reserve(found->size());
    for (auto& each : *found) entries.push_back({std::move(each.name), from(each.what)});
    co_return entries;
}

}  // namespace rill::file
