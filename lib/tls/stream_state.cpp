// The waits of a TLS stream. The end of data and what tells it from a cut: RFC 8446 section 6.1.
#include "tls/stream_state.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "rill/coro/as_result.hpp"
#include "rill/rt/core.hpp"

namespace rill::tls {

using progress = engine::progress;

task<result<void>> stream::state::handshake(time_point deadline) {
    RILL_ASSERT(!handshake_begun_, "one handshake for each stream");
    handshake_begun_ = true;
    std::error_code unsent;
    for (;;) {
        progress const step = engine_.handshake();
        if (step == progress::done && !unsent) break;
        if (!engine_.output().empty() && !unsent) {
            auto const sent = co_await as_result(below_.write(engine_.output().view(), deadline));
            if (!sent) unsent = sent.error();
        }
        engine_.output().release();
        if (step != progress::wants_input) {
            // An end in the middle of the handshake is a failure like others.
            engine_.note(unsent ? unsent : make_error_code(errc::handshake_failed),
                         "the handshake could not be sent to its end");
            broken_ = end_ = engine_.cause();
            co_return broken_;
        }
        // Also where sending failed: a peer that has gone may have said why.
        auto input = co_await as_result(below_.receive(deadline));
        if (!input || !*input) {
            auto const why = unsent ? unsent : input.error();
            engine_.note(why ? why : make_error_code(errc::truncated),
                         why ? why.message() : "the peer left in the middle of the handshake");
            broken_ = end_ = engine_.cause();
            co_return broken_;
        }
        engine_.feed(*std::move(input));
    }
    established_ = true;
    // What ends the handshake, and a server's tickets, go out without a wait: the peer may have
    // something to say before it reads them.
    write_on();
    co_return result<void>();
}

// Receiving.

std::optional<result<lease>> stream::state::begin_receive(input_waiter& who) noexcept {
    RILL_ASSERT(reader_ == nullptr, "one reader of a stream at a time");
    if (closed_) return make_error_code(rill::errc::closed);
    if (first_unread_ != none) {
        std::uint32_t const index = std::exchange(first_unread_, blocks_[first_unread_]->next);
        block& unread = *blocks_[index];
        return lease(*this, index,
                     {unread.memory.data() + unread.begin, unread.end - unread.begin});
    }
    if (auto now = read_on()) return now;
    reader_ = &who;
    return std::nullopt;
}

/// Input, or why there is none; nothing where it has to be waited for, and then that was begun.
std::optional<result<lease>> stream::state::read_on() noexcept {
    for (;;) {
        if (end_ == rill::errc::end_of_stream) return lease();
        if (end_) return end_;
        RILL_ASSERT(established_, "await the handshake before you read or write");
        if (leases_ == most_leases) return std::nullopt;
        if (engine_.may_read()) {
            lease into;
            progress const step = decrypt(into);
            // Keys are updated and alerts are sent from in here.
            if (!sending_now_ && !next_.posted && !engine_.output().empty()) write_on();
            if (step == progress::done) return into;
            if (end_) continue;
            if (step == progress::wants_output) {
                if (engine_.output().size() >= engine::most_unsent) return std::nullopt;
                continue;
            }
        }
        auto input = below_.begin_receive(*this);
        reading_below_ = !input;
        if (!input) return std::nullopt;
        take(*std::move(input));
    }
}

/// Decrypts into a block; notes where the stream has ended.
progress stream::state::decrypt(lease& made) noexcept {
    std::uint32_t index = 0;
    while (blocks_[index] != nullptr) ++index;
    try {
        blocks_[index] = new block;
    } catch (std::bad_alloc const&) {
        end_ = system_error(ENOMEM);
        return progress::failed;
    }
    ++leases_;
    block& into = *blocks_[index];
    std::size_t count = 0;
    progress const step = engine_.read(into.memory, count);
    if (step == progress::done) {
        made = lease(*this, index, {into.memory.data(), count});
        return step;
    }
    free_block(index);
    if (step == progress::ended) {
        end_ = rill::errc::end_of_stream;
    } else if (step == progress::failed) {
        end_ = engine_.cause();
        if (!broken_) broken_ = end_;
    }
    return step;
}

void stream::state::take(result<lease> input) noexcept {
    if (!input) {
        end_ = input.error();
    } else if (!*input) {
        end_ = errc::truncated;
        engine_.note(end_, "the stream below ended without a close_notify");
    } else {
        engine_.feed(*std::move(input));
    }
}

void stream::state::arrived(result<lease> input) noexcept {
    reading_below_ = false;
    if (closed_) {
        std::exchange(reader_, nullptr)->arrived(make_error_code(rill::errc::closed));
        return;
    }
    take(std::move(input));
    resume_reader();
}

void stream::state::resume_reader() noexcept {
    if (reader_ == nullptr || reading_below_ || closed_) return;
    if (auto now = read_on()) std::exchange(reader_, nullptr)->arrived(*std::move(now));
}

bool stream::state::stop_receive(input_waiter& who) noexcept {
    if (reader_ != &who) return false;
    if (reading_below_ && !below_.stop_receive(*this)) return false;
    reading_below_ = false;
    reader_ = nullptr;
    return true;
}

void stream::state::put_back(lease input) noexcept {
    if (closed_) return;  // nobody will read it: the lease gives its block back
    std::uint32_t const index = input.index();
    mutable_bytes const view = input.detach();
    block& back = *blocks_[index];
    back.begin = static_cast<std::uint32_t>(view.data() - back.memory.data());
    back.end = back.begin + static_cast<std::uint32_t>(view.size());
    back.next = std::exchange(first_unread_, index);
}

void stream::state::free_block(std::uint32_t index) noexcept {
    delete std::exchange(blocks_[index], nullptr);
    --leases_;
}

void stream::state::give_back(std::uint32_t index) noexcept {
    free_block(index);
    resume_reader();
}

void stream::state::drop_unread() noexcept {
    while (first_unread_ != none) {
        std::uint32_t const index = std::exchange(first_unread_, blocks_[first_unread_]->next);
        free_block(index);
    }
}

// Writing.

std::optional<result<void>> stream::state::begin_write(pending_write& what) noexcept {
    if (closed_ || finishing_) return result<void>(rill::errc::closed);
    if (broken_) return result<void>(broken_);
    RILL_ASSERT(established_, "await the handshake before you read or write");
    if (what.all_written()) return result<void>();
    if (!writes_.push(what) || sending_now_ || next_.posted) return std::nullopt;
    starting_ = &what;
    write_on();
    starting_ = nullptr;
    return std::exchange(started_, std::nullopt);
}

/// Sends what there is to send, until the stream below has to be waited for.
void stream::state::write_on() noexcept {
    while (!sending_now_ && !closed_) {
        if (!engine_.output().empty() && !finished_) {
            send_output();
        } else if (broken_) {
            fail_waiting(broken_);
            return;
        } else if (writes_.first() != nullptr) {
            if (writes_.first()->all_written()) {
                end_write(*writes_.first(), {});
            } else {
                encrypt_first();
            }
        } else if (finishing_ && !notified_) {
            notified_ = true;
            engine_.end();
        } else {
            if (std::exchange(finished_, notified_) != notified_) below_.finish();
            engine_.output().release();
            sending_.release();
            return;
        }
    }
}

void stream::state::encrypt_first() noexcept {
    // Small pieces leave in one record: a head and its body, say.
    constexpr std::size_t record_bytes = SSL3_RT_MAX_PLAIN_LENGTH;
    std::array<std::byte, record_bytes> gathered;
    bytes rest;
    std::size_t left = most_encrypted;
    std::size_t filled = 0;
    progress step = progress::done;
    auto const encrypt_gathered = [&] {
        if (filled != 0) step = engine_.write({gathered.data(), std::exchange(filled, 0)});
    };
    for (bytes piece : writes_.first()->remaining(rest)) {
        piece = piece.first(std::min(piece.size(), left));
        left -= piece.size();
        encrypted_ += piece.size();
        if (piece.size() > record_bytes - filled) encrypt_gathered();
        if (piece.size() >= record_bytes) {
            if (step == progress::done) step = engine_.write(piece);
        } else {
            filled += copy_bytes(mutable_bytes(gathered).without_first(filled), piece);
        }
        if (left == 0 || step != progress::done) break;
    }
    if (step == progress::done) encrypt_gathered();
    if (step != progress::done) {
        encrypted_ = 0;
        broken_ = engine_.cause();
    }
}

void stream::state::send_output() noexcept {
    std::swap(sending_, engine_.output());
    portion_.emplace(*this, sending_.view());
    sending_now_ = true;
    if (auto const now = below_.begin_write(*portion_)) account(*now);
}

/// Notes how sending has ended.
void stream::state::account(result<void> outcome) noexcept {
    sending_now_ = false;
    sending_.clear();
    std::size_t const of_first = std::exchange(encrypted_, 0);
    if (outcome) {
        if (of_first != 0) writes_.first()->advance(of_first);
        return;
    }
    pending_write* const first = of_first != 0 ? writes_.first() : nullptr;
    bool const stopped = first != nullptr && first->stopped_by;
    if (!broken_) broken_ = stopped ? make_error_code(rill::errc::write_broken) : outcome.error();
    // What was encrypted behind it can not be understood without it.
    engine_.output().clear();
    if (first != nullptr) end_write(*first, stopped ? first->stopped_by : outcome.error());
}

void stream::state::sent(result<void> outcome) noexcept {
    if (released_) {
        delete this;
        return;
    }
    account(outcome);
    pending_write* const first = writes_.first();
    if (closed_) {
        if (first != nullptr) {
            end_write(*first, first->all_written() ? result<void>() : rill::errc::closed);
        }
        return;
    }
    if (first != nullptr && !broken_) {
        if (first->all_written()) {
            end_write(*first, {});
        } else if (first->stopped_by) {
            broken_ = rill::errc::write_broken;
            end_write(*first, first->stopped_by);
        }
    }
    // The stream below is in the middle of its own work: what is next comes after it.
    if (next_.posted) return;
    next_.posted = true;
    core::current().post(next_);
}

void stream::state::next_turn::run() noexcept {
    posted = false;
    if (of_.released_) {
        delete &of_;
        return;
    }
    of_.write_on();
    of_.resume_reader();
}

void stream::state::end_write(pending_write& what, result<void> outcome) noexcept {
    writes_.remove(what);
    if (&what == starting_) {
        started_ = outcome;
    } else {
        what.written(outcome);
    }
}

void stream::state::fail_waiting(std::error_code why) noexcept {
    while (writes_.first() != nullptr) end_write(*writes_.first(), why);
}

void stream::state::stop_write(pending_write& what, std::error_code why) noexcept {
    if (&what == writes_.first() && sending_now_ && encrypted_ != 0) {
        if (!what.stopped_by) what.stopped_by = why;
        below_.stop_write(*portion_, why);
        return;
    }
    if (what.begun() && !broken_) broken_ = rill::errc::write_broken;
    end_write(what, why);
}

// Ending.

void stream::state::finish() noexcept {
    if (closed_ || finishing_) return;
    finishing_ = true;
    if (!sending_now_ && !next_.posted) write_on();
}

void stream::state::close() noexcept {
    if (closed_) return;
    closed_ = true;
    engine_.drop_input();
    drop_unread();
    if (reader_ != nullptr && !reading_below_) {
        std::exchange(reader_, nullptr)->arrived(make_error_code(rill::errc::closed));
    }
    // A write whose records are in the stream below is ended by that.
    bool const first_stays = sending_now_ && encrypted_ != 0;
    while (writes_.last() != nullptr && !(first_stays && writes_.last() == writes_.first())) {
        end_write(*writes_.last(), rill::errc::closed);
    }
    if (first_stays) writes_.first()->stopped_by = rill::errc::closed;
    below_.close();
}

void stream::state::release() noexcept {
    close();
    RILL_ASSERT(reader_ == nullptr && writes_.first() == nullptr,
                "end the waits on a TLS stream before it ends");
    RILL_ASSERT(leases_ == 0, "give leases back before their stream ends");
    released_ = true;
    if (!sending_now_ && !next_.posted) delete this;
}

}  // namespace rill::tls
