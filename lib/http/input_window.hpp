// The bytes of a connection that are received and not used yet, in one piece.
#pragma once

#include <optional>
#include <utility>

#include "http/server_core.hpp"
#include "rill/base/buffer.hpp"
#include "rill/rt/lease.hpp"

namespace rill::http {

/// Views the newest lease in place as long as what is needed lies in it; gathers in a pooled buffer
/// what does not.
class input_window {
public:
    /// Begins with what was received.
    input_window(server_core& home, lease first) noexcept : home_(home), lease_(std::move(first)) {}
    input_window(input_window const&) = delete;
    input_window& operator=(input_window const&) = delete;
    ~input_window() {
        if (gathering_) home_.keep_buffer(std::move(gathered_));
    }

    /// All bytes at hand; dies at the next call that changes the window.
    [[nodiscard]] bytes view() const noexcept {
        return gathering_ ? gathered_.view() : lease_.view();
    }
    [[nodiscard]] bool empty() const noexcept { return view().empty(); }

    /// Drops the first `count` bytes. The memory stays until the next `add` or `settle`.
    void consume(std::size_t count) noexcept {
        if (gathering_) {
            gathered_.consume(count);
        } else {
            lease_.consume(count);
        }
    }

    /// Adds what was received. False when the bound of the buffer would be passed.
    [[nodiscard]] bool add(lease more) {
        if (gathering_ && gathered_.empty()) {
            home_.keep_buffer(std::move(gathered_));
            gathering_ = false;
        }
        if (!gathering_) {
            if (lease_.size() == 0) {
                lease_ = std::move(more);
                return true;
            }
            gather();
        }
        return gathered_.append(more.view());
    }

    /// Gives the kernel's buffer back: what is left of it is copied.
    void settle() {
        if (gathering_) return;
        if (lease_.size() == 0) {
            lease_.reset();
        } else {
            gather();
        }
    }

    /// Takes what is left out of the window, as a copy or as it was gathered.
    [[nodiscard]] buffer take_rest() {
        if (view().empty()) return buffer();
        if (!gathering_) gather();
        gathering_ = false;
        return std::move(gathered_);
    }

private:
    void gather() {
        gathered_ = home_.take_buffer();
        gathering_ = true;
        // A lease has at most 4 KiB, far below the bound of the buffer.
        static_cast<void>(gathered_.append(lease_.view()));
        lease_.reset();
    }

    server_core& home_;
    lease lease_;
    bool gathering_ = false;
    buffer gathered_;
};

}  // namespace rill::http
