// The cores of one run_per_core: how they find each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "mailbox.hpp"

namespace rill {

/// The mailboxes of all cores, by index. Complete before any of them runs its body.
class core_set {
public:
    explicit core_set(std::uint32_t count) : boxes_(count) {}
    core_set(core_set const&) = delete;
    core_set& operator=(core_set const&) = delete;

    [[nodiscard]] std::uint32_t size() const noexcept {
        return static_cast<std::uint32_t>(boxes_.size());
    }
    [[nodiscard]] std::shared_ptr<mailbox> const& box(std::uint32_t index) const noexcept {
        return boxes_[index];
    }
    void set(std::uint32_t index, std::shared_ptr<mailbox> box) noexcept {
        boxes_[index] = std::move(box);
    }

    /// The signals that came to any of the cores, a bit each. Written by signal handlers.
    [[nodiscard]] std::atomic<std::uint64_t>& signals_seen() noexcept { return signals_seen_; }

private:
    std::atomic<std::uint64_t> signals_seen_ = 0;
    std::vector<std::shared_ptr<mailbox>> boxes_;
};

}  // namespace rill
