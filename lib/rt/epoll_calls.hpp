// The calls on sockets that the epoll driver tries: none of them waits.
#pragma once

#include <cstdint>

#include "epoll_driver.hpp"
#include "epoll_table.hpp"
#include "fault_every.hpp"
#include "rill/base/bytes.hpp"
#include "rill/rt/request.hpp"

namespace rill {

/// Each call gives a count or a descriptor, or a negated errno; -EAGAIN says that it would wait.
class epoll_calls {
public:
    explicit epoll_calls(epoll_faults const& faults) noexcept;

    [[nodiscard]] int receive(int descriptor, mutable_bytes into) noexcept;
    /// Lays it out as datagram_layout.hpp says; at least `datagram::payload_begin`.
    [[nodiscard]] int receive_datagram(int descriptor, mutable_bytes into) noexcept;
    [[nodiscard]] int send(request const& what) noexcept;
    [[nodiscard]] int send_message(request const& what) noexcept;
    [[nodiscard]] int accept(int listener) noexcept;
    /// -EINPROGRESS where the answer comes later: see `connected`.
    [[nodiscard]] int connect(request const& what) noexcept;
    /// What has come of a connect: 0 or a negated errno.
    [[nodiscard]] int connected(int descriptor) noexcept;

    /// A `read_file` or `write_file` of what has no offsets, once it is ready.
    [[nodiscard]] int transfer(request const& what) noexcept;

    [[nodiscard]] bool is_open(int descriptor) noexcept;
    /// Makes calls without a flag of their own return instead of wait. Returns 0 or an errno.
    [[nodiscard]] int do_not_block(int descriptor) noexcept;
    [[nodiscard]] epoll_table::kind kind_of(int descriptor) noexcept;
    /// True where a send would take something, or fail.
    [[nodiscard]] bool has_room(int descriptor) noexcept;

    /// True where a test wants the next receive to find no buffer.
    [[nodiscard]] bool forced_no_buffer() noexcept { return no_buffer_(); }
    /// Calls of the kernel.
    [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }

private:
    template <class Call>
    int made(Call const& call) noexcept;

    std::uint64_t calls_ = 0;
    std::size_t most_sent_;
    fault_every call_fails_;
    fault_every no_buffer_;
    fault_every no_descriptor_;
};

}  // namespace rill
