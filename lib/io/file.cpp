// Files below a root that nothing can leave.
#include "rill/io/file.hpp"

#include "rill/rt/blocking.hpp"
#include "rill/rt/core.hpp"
#include "rt/driver.hpp"
#include "rt/file_calls.hpp"

namespace rill::file {

namespace {

status from(file_calls::status const& what) noexcept {
    return {.regular = what.regular,
            .directory = what.directory,
            .size = what.size,
            .modified = what.modified,
            .device = what.device,
            .inode = what.inode};
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
    if (value >= 0) {
        set_result(static_cast<std::size_t>(value));
    } else if (value == -ECANCELED) {
        set_result(errc::cancelled);
    } else {
        set_result(system_error(-value));
    }
    complete();
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
