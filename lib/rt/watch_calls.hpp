// The calls of inotify(7).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "path_calls.hpp"
#include "rill/base/result.hpp"

namespace rill::watch_calls {

enum class kind : std::uint8_t { created, removed, modified, written, status, gone, overflow };

struct event {
    kind what = kind::overflow;
    int watch = -1;
    std::string name = {};
    bool directory = false;
};

/// A queue of events; reading it does not block.
[[nodiscard]] result<int> open() noexcept;
/// Looks the path up, and so may block.
[[nodiscard]] result<int> add(path_calls::owned const& queue, std::string const& path) noexcept;
[[nodiscard]] bool remove(int queue, int watch) noexcept;
/// What is there; empty where there is nothing.
[[nodiscard]] std::vector<event> read(int queue);

}  // namespace rill::watch_calls
