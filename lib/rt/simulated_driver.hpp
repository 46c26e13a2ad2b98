// The simulated driver: a virtual clock and a network in memory. The same program over it does the
// same things in the same order, faster than time passes, without a port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "driver.hpp"

namespace rill {

/// What one simulation has seen, for tests; written when the driver is destroyed.
struct simulated_report {
    std::size_t open_descriptors = 0;  // sockets that nobody closed
    std::uint64_t trace = 0;           // a hash over every result: when, of what, on what, which
};

/// What the simulated world is like.
struct simulated_options {
    std::uint64_t seed = 1;
    /// From the sending of a segment to its arrival; nothing moves the clock but waiting.
    duration latency = duration::zero();
    /// Bytes that a side takes before its reader has read: writers wait beyond it.
    std::size_t window_bytes = 64 * 1024;
    /// Sends end short, after a number of bytes that the seed chooses.
    bool short_sends = false;
    /// At most this many bytes in one received buffer; 0 is no limit but the buffer's.
    std::size_t most_received = 0;
    /// Sockets that may be open at once; accepting beyond it fails with EMFILE.
    std::size_t most_descriptors = 1'000'000;
    std::uint32_t receive_buffers = 1024;
    std::uint32_t receive_copies = 4096;
    simulated_report* report = nullptr;
};

/// Makes a driver over a world of its own, at noon of a day of its own.
///
/// Time passes only in `turn`, when it has nothing to deliver: to the next arrival or to `until`.
/// When there is neither, every task waits for something that nobody will do; that asserts.
[[nodiscard]] std::unique_ptr<driver> make_simulated_driver(simulated_options const& options = {});

}  // namespace rill
