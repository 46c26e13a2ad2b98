// The in-process pipe: a bounded queue of blocks for each way, and the waits at its two ends.
#include "rill/io/pipe.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

namespace rill {

/// One way of a pipe: blocks of bytes between the writers at one end and the reader at the other.
///
/// Invariant: each block is free, queued or leased; writers wait only while no block is free.
class byte_pipe::flow final : public buffer_source {
public:
    explicit flow(pipe_options const& with)
        : block_bytes_(std::min(with.piece_bytes == 0 ? std::size_t{4096} : with.piece_bytes,
                                with.capacity_bytes)) {
        RILL_ASSERT(with.capacity_bytes != 0, "give a pipe room for at least one byte");
        blocks_.resize(with.capacity_bytes / block_bytes_);
    }
    ~flow() {
        RILL_ASSERT(leased_ == 0, "give leases back before their pipe ends");
        RILL_ASSERT(reader_ == nullptr, "end the waits on a pipe before the pipe ends");
        RILL_ASSERT(writes_.empty(), "end the waits on a pipe before the pipe ends");
    }

    // The reading end.

    [[nodiscard]] std::optional<result<lease>> begin_receive(input_waiter& who) noexcept {
        RILL_ASSERT(reader_ == nullptr, "one reader of a stream at a time");
        if (auto now = available()) return now;
        reader_ = &who;
        return std::nullopt;
    }
    [[nodiscard]] bool stop_receive(input_waiter& who) noexcept {
        if (reader_ != &who) return false;
        reader_ = nullptr;
        return true;
    }
    void put_back(lease input) noexcept {
        if (reader_gone_) return;  // the lease gives its block back
        std::uint32_t const index = input.index();
        mutable_bytes const view = input.detach();
        --leased_;
        block& back = blocks_[index];
        back.begin = static_cast<std::size_t>(view.data() - memory(index));
        back.end = back.begin + view.size();
        back.next = first_;
        if (first_ == none) last_ = index;
        first_ = index;
    }
    void watch(chain* who) noexcept {
        watcher_ = who;
        if (end_) tell_watcher();
    }
    /// The reading end closes: what is unread is dropped, and writing has no sense any more.
    void close_reader() noexcept {
        reader_gone_ = true;
        while (first_ != none) {
            std::uint32_t const index = std::exchange(first_, blocks_[first_].next);
            make_free(index);
        }
        if (!end_) end_ = errc::closed;
        tell_watcher();
        if (auto* const who = std::exchange(reader_, nullptr)) who->arrived(errc::closed);
        break_writers(system_error(EPIPE), system_error(EPIPE));
    }

    // The writing end.

    [[nodiscard]] std::optional<result<void>> begin_write(pending_write& what) noexcept {
        if (broken_) return result<void>(broken_);
        if (finishing_) return result<void>(errc::closed);
        if (writes_.empty()) {
            copy_from(what);
            if (what.all_written()) return result<void>();
        }
        writes_.push(what);
        return std::nullopt;
    }
    void stop_write(pending_write& what, std::error_code why) noexcept {
        bool const cut = what.begun();
        writes_.remove(what);
        what.written(why);
        if (cut) break_writers(errc::write_broken, errc::write_broken);
        go_on();
    }
    void finish() noexcept {
        finishing_ = true;
        if (writes_.empty()) ended(errc::end_of_stream);
    }
    /// The writing end closes. A write that is cut here must not look like a whole one.
    void close_writer() noexcept {
        bool const cut = !writes_.empty() || broken_ == errc::write_broken;
        break_writers(errc::closed, errc::closed);
        ended(cut ? system_error(ECONNRESET) : make_error_code(errc::end_of_stream));
    }

    void give_back(std::uint32_t index) noexcept override {
        --leased_;
        make_free(index);
        go_on();
    }

private:
    static constexpr std::uint32_t none = 0xffff'ffff;
    struct block {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::uint32_t next = none;
    };

    [[nodiscard]] std::byte* memory(std::uint32_t index) const noexcept {
        return memory_.get() + index * block_bytes_;
    }

    /// Input, or how it has ended, or nothing.
    [[nodiscard]] std::optional<result<lease>> available() noexcept {
        if (first_ != none) {
            std::uint32_t const index = std::exchange(first_, blocks_[first_].next);
            block const& taken = blocks_[index];
            ++leased_;
            return lease(*this, index, {memory(index) + taken.begin, taken.end - taken.begin});
        }
        if (!end_) return std::nullopt;
        if (end_ == errc::end_of_stream) return lease();
        return end_;
    }

    void wake_reader() noexcept {
        if (reader_ == nullptr) return;
        if (auto now = available()) std::exchange(reader_, nullptr)->arrived(*std::move(now));
    }

    void ended(std::error_code why) noexcept {
        if (end_) return;
        end_ = why;
        tell_watcher();
        wake_reader();
    }

    void tell_watcher() noexcept {
        if (auto* const who = std::exchange(watcher_, nullptr)) {
            who->cancel(cancel_reason::client_gone);
        }
    }

    /// A block to write to: the last one while it has room, else a fresh one, else `none`.
    [[nodiscard]] std::uint32_t room() noexcept {
        if (first_ != none && blocks_[last_].end != block_bytes_) return last_;
        std::uint32_t index = free_;
        if (index != none) {
            free_ = blocks_[index].next;
        } else if (used_ != blocks_.size()) {
            if (memory_ == nullptr) {
                memory_ = std::make_unique<std::byte[]>(blocks_.size() * block_bytes_);
            }
            index = used_++;
        } else {
            return none;
        }
        blocks_[index] = {};
        (first_ != none ? blocks_[last_].next : first_) = index;
        last_ = index;
        return index;
    }

    void make_free(std::uint32_t index) noexcept {
        blocks_[index].next = free_;
        free_ = index;
    }

    void copy_from(pending_write& what) noexcept {
        while (!what.all_written()) {
            std::uint32_t const index = room();
            if (index == none) break;
            block& into = blocks_[index];
            bytes rest;
            bytes const piece = what.remaining(rest).front();
            std::size_t const count =
                copy_bytes({memory(index) + into.end, block_bytes_ - into.end}, piece);
            into.end += count;
            what.advance(count);
            wake_reader();
        }
    }

    /// Space has come free, or a writer has left.
    void go_on() noexcept {
        while (!writes_.empty()) {
            pending_write& what = *writes_.first();
            copy_from(what);
            if (!what.all_written()) return;
            writes_.remove(what);
            what.written({});
        }
        if (finishing_) ended(errc::end_of_stream);
    }

    void break_writers(std::error_code waiting, std::error_code later_ones) noexcept {
        if (!broken_ || later_ones == errc::closed) broken_ = later_ones;
        while (!writes_.empty()) {
            pending_write& what = *writes_.first();
            writes_.remove(what);
            what.written(waiting);
        }
    }

    std::size_t block_bytes_;
    std::unique_ptr<std::byte[]> memory_;
    std::vector<block> blocks_;
    std::uint32_t used_ = 0;  // blocks from here on were never used
    std::uint32_t free_ = none;
    std::uint32_t first_ = none;  // the queue of what is unread
    std::uint32_t last_ = none;
    std::uint32_t leased_ = 0;
    input_waiter* reader_ = nullptr;
    chain* watcher_ = nullptr;
    pending_writes writes_;
    std::error_code end_;     // why nothing more is received; `end_of_stream` for a clean end
    std::error_code broken_;  // why nothing more is written
    bool finishing_ = false;
    bool reader_gone_ = false;
};

/// One end: the reader of one way and the writer of the other.
class byte_pipe::end final : public byte_stream {
public:
    end(flow& in, flow& out) noexcept : in_(in), out_(out) {}
    ~end() = default;

    void finish() noexcept override {
        if (!closed_) out_.finish();
    }
    void close() noexcept override {
        if (std::exchange(closed_, true)) return;
        in_.close_reader();
        out_.close_writer();
    }
    void watch_end(chain* who) noexcept override { in_.watch(who); }

private:
    std::optional<result<lease>> begin_receive(input_waiter& who) noexcept override {
        if (closed_) return errc::closed;
        return in_.begin_receive(who);
    }
    bool stop_receive(input_waiter& who) noexcept override { return in_.stop_receive(who); }
    void put_back(lease input) noexcept override { in_.put_back(std::move(input)); }
    std::optional<result<void>> begin_write(pending_write& what) noexcept override {
        if (closed_) return result<void>(errc::closed);
        return out_.begin_write(what);
    }
    void stop_write(pending_write& what, std::error_code why) noexcept override {
        out_.stop_write(what, why);
    }

    flow& in_;
    flow& out_;
    bool closed_ = false;
};

class byte_pipe::state {
public:
    explicit state(pipe_options const& with)
        : there(with), back(with), first(back, there), second(there, back) {}

    flow there;
    flow back;
    end first;
    end second;
};

byte_pipe::byte_pipe(pipe_options with) : state_(std::make_unique<state>(with)) {}

byte_pipe::~byte_pipe() = default;

byte_stream& byte_pipe::first() noexcept {
    return state_->first;
}

byte_stream& byte_pipe::second() noexcept {
    return state_->second;
}

}  // namespace rill
