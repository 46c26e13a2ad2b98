// The kernel's set of descriptors: who is in it and what has happened to them.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <span>

#include "epoll_driver.hpp"
#include "epoll_table.hpp"
#include "fault_every.hpp"
#include "rill/base/time.hpp"

namespace rill {

/// One epoll instance. Events carry the number of their descriptor and the generation of its
/// entry, so that one for a descriptor that was closed meanwhile is recognised.
class epoll_set {
public:
    /// Throws `error`.
    explicit epoll_set(epoll_faults const& faults);
    ~epoll_set();
    epoll_set(epoll_set const&) = delete;
    epoll_set& operator=(epoll_set const&) = delete;

    /// Every event of `descriptor`, edge-triggered, room to send only where that is wanted. Asking
    /// again tells what is so now. Returns 0 or a negated errno; -EPERM is a file that is always
    /// ready.
    [[nodiscard]] int watch(int descriptor, epoll_table::entry& which, bool room) noexcept;
    /// The next of `events`, once.
    [[nodiscard]] int poll(int descriptor, epoll_table::entry& which,
                           std::uint32_t events) noexcept;
    void remove(int descriptor, epoll_table::entry& which) noexcept;

    /// What has happened; waits for the first event, but not beyond `length`. Zero: not at all,
    /// negative: for ever. Empty also where a signal came.
    [[nodiscard]] std::span<epoll_event const> wait(duration length) noexcept;

    /// What a poll, or a read or write of a pipe, wants to hear of; nothing for other verbs.
    [[nodiscard]] static std::uint32_t events_of(verb what) noexcept;
    [[nodiscard]] static int descriptor_of(epoll_event const& event) noexcept {
        return static_cast<int>(event.data.u64 & 0xffff'ffff);
    }
    [[nodiscard]] static std::uint32_t generation_of(epoll_event const& event) noexcept {
        return static_cast<std::uint32_t>(event.data.u64 >> 32);
    }
    /// Calls of the kernel.
    [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }

private:
    int put(int descriptor, epoll_table::entry& which, std::uint32_t events) noexcept;
    int control(int operation, int descriptor, epoll_event& event) noexcept;
    int wait_exactly(duration length) noexcept;

    static constexpr int most_events = 512;

    int set_;
    bool exact_ = true;  // this kernel has epoll_pwait2
    std::uint64_t calls_ = 0;
    std::array<epoll_event, most_events> events_;
    epoll_faults faults_;
    fault_every wait_fails_;
    fault_every control_fails_;
};

}  // namespace rill
