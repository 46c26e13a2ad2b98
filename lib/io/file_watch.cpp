// What changes in directories, as it happens.
#include "rill/io/file_watch.hpp"

#include "rill/base/error.hpp"
#include "rill/rt/blocking.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/ready.hpp"
#include "rt/driver.hpp"
#include "rt/watch_calls.hpp"

namespace rill::file {

namespace {

change from(watch_calls::kind what) noexcept {
    switch (what) {
        case watch_calls::kind::created:
            return change::created;
        case watch_calls::kind::removed:
            return change::removed;
        case watch_calls::kind::modified:
            return change::modified;
        case watch_calls::kind::written:
            return change::written;
        case watch_calls::kind::status:
            return change::status;
        case watch_calls::kind::gone:
            return change::gone;
        case watch_calls::kind::overflow:
            break;
    }
    return change::overflow;
}

}  // namespace

watch::watch() {
    auto const opened = watch_calls::open();
    if (!opened) {
        throw error(opened.error(), "watch files", {}, "see fs.inotify.max_user_instances");
    }
    descriptor_ = *opened;
}

watch::~watch() {
    core::current().io().close(descriptor_);
}

task<int> watch::add(std::string path) {
    auto queue = path_calls::owned::copy_of(descriptor_);
    if (!queue) throw error(queue.error(), "watch", path);
    auto const added = co_await blocking(watch_calls::add, *std::move(queue), path);
    if (!added) throw error(added.error(), "watch", path);
    co_return *added;
}

bool watch::remove(int number) noexcept {
    return watch_calls::remove(descriptor_, number);
}

task<change_event> watch::next() {
    while (events_.empty()) {
        co_await readable(descriptor_);
        for (auto& each : watch_calls::read(descriptor_)) {
            events_.push_back({.change = from(each.what),
                               .watch = each.watch,
                               .name = std::move(each.name),
                               .directory = each.directory});
        }
    }
    change_event first = std::move(events_.front());
    events_.pop_front();
    co_return first;
}

}  // namespace rill::file
