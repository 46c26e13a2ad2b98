// Sending a part of a file over the ring: file to pipe to socket, page by page and without a copy.
// On this kernel splices run in the ring's worker threads, beside the core.
#pragma once

#include <liburing.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "rill/rt/request.hpp"

namespace rill {

/// A pipe and the way of one `send_file` through it. Pooled: pipes are a limited good
/// (fs.pipe-user-pages-soft).
class splice_pump {
public:
    /// A pump with a pipe of its own; null when there is no descriptor for one.
    [[nodiscard]] static std::unique_ptr<splice_pump> make() noexcept;
    ~splice_pump();
    splice_pump(splice_pump const&) = delete;
    splice_pump& operator=(splice_pump const&) = delete;

    /// Begins with `what`; the next entry is to be prepared.
    void begin(request& what) noexcept;
    void prepare(io_uring_sqe& entry) const noexcept;
    /// One completion. Returns true when the next entry is to be prepared; false when it is over.
    [[nodiscard]] bool advance(int value) noexcept;
    /// The result of the request, once it is over.
    [[nodiscard]] int result() const noexcept;
    /// False when bytes are left in the pipe: it cannot be used again.
    [[nodiscard]] bool clean() const noexcept { return in_pipe_ == 0; }
    [[nodiscard]] request& what() const noexcept { return *what_; }

private:
    splice_pump(int read_end, int write_end, std::uint32_t capacity) noexcept
        : read_end_(read_end), write_end_(write_end), capacity_(capacity) {}

    int read_end_;
    int write_end_;
    std::uint32_t capacity_;
    request* what_ = nullptr;
    std::uint64_t filled_ = 0;  // bytes taken from the file
    std::uint64_t sent_ = 0;
    std::uint32_t in_pipe_ = 0;
    int error_ = 0;
};

}  // namespace rill
