// Sending a part of a file over the ring.
#include "uring_splice.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace rill {

namespace {

constexpr int wanted_capacity = 1024 * 1024;
// More than this in one request is reported short and asked for again: a result is an int.
constexpr std::uint64_t most_in_one_request = std::uint64_t{1} << 30;

}  // namespace

std::unique_ptr<splice_pump> splice_pump::make() noexcept {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return nullptr;
    // Refused beyond the user's limit: the pipe then stays at the 64 KiB that it has.
    ::fcntl(ends[1], F_SETPIPE_SZ, wanted_capacity);
    int const capacity = ::fcntl(ends[1], F_GETPIPE_SZ);
    auto* const made = new (std::nothrow)
        splice_pump(ends[0], ends[1], static_cast<std::uint32_t>(capacity > 0 ? capacity : 65536));
    if (made == nullptr) {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    return std::unique_ptr<splice_pump>(made);
}

splice_pump::~splice_pump() {
    ::close(read_end_);
    ::close(write_end_);
}

void splice_pump::begin(request& what) noexcept {
    what_ = &what;
    filled_ = sent_ = 0;
    in_pipe_ = 0;
    error_ = 0;
}

void splice_pump::prepare(io_uring_sqe& entry) const noexcept {
    std::uint64_t const wanted = std::min(what_->size(), most_in_one_request);
    if (in_pipe_ == 0) {
        auto const count =
            static_cast<unsigned>(std::min<std::uint64_t>(wanted - filled_, capacity_));
        io_uring_prep_splice(&entry, what_->source(),
                             static_cast<std::int64_t>(what_->offset() + filled_), write_end_, -1,
                             count, SPLICE_F_MOVE);
    } else {
        unsigned const more = filled_ < wanted ? unsigned{SPLICE_F_MORE} : 0U;
        io_uring_prep_splice(&entry, read_end_, -1, what_->descriptor(), -1, in_pipe_,
                             SPLICE_F_MOVE | more);
    }
}

bool splice_pump::advance(int value) noexcept {
    std::uint64_t const wanted = std::min(what_->size(), most_in_one_request);
    if (value <= 0) {
        // Nothing from the file: it is shorter than was said.
        error_ = value == 0 ? -EIO : value;
        return false;
    }
    if (in_pipe_ == 0) {
        in_pipe_ = static_cast<std::uint32_t>(value);
        filled_ += in_pipe_;
    } else {
        in_pipe_ -= static_cast<std::uint32_t>(value);
        sent_ += static_cast<std::uint32_t>(value);
    }
    if (what_->cancelling()) {
        error_ = -ECANCELED;
        return false;
    }
    return sent_ < wanted;
}

int splice_pump::result() const noexcept {
    return sent_ != 0 ? static_cast<int>(sent_) : error_;
}

}  // namespace rill
