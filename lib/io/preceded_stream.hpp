// A stream with bytes before it: what was received too far is received again by who comes next.
#pragma once

#include "rill/base/buffer.hpp"
#include "rill/io/byte_stream.hpp"

namespace rill {

/// Gives `first`, then what `rest` gives; all else is `rest`, which must outlive it.
///
/// Invariant: what of `first` was received lies before `taken_`; its storage is freed when all was
/// received and the lease has come back.
class preceded_stream final : public byte_stream, private buffer_source {
public:
    preceded_stream(buffer first, byte_stream& rest) noexcept
        : first_(std::move(first)), rest_(rest) {}

    [[nodiscard]] bool sends_files() const noexcept override { return rest_.sends_files(); }
    void finish() noexcept override { rest_.finish(); }
    void close() noexcept override {
        closed_ = true;
        rest_.close();
    }
    void watch_end(chain* who) noexcept override { rest_.watch_end(who); }
    [[nodiscard]] address remote_address() const override { return rest_.remote_address(); }
    [[nodiscard]] address local_address() const override { return rest_.local_address(); }

protected:
    [[nodiscard]] std::optional<result<lease>> begin_receive(input_waiter& who) noexcept override;
    [[nodiscard]] bool stop_receive(input_waiter& who) noexcept override {
        return rest_.stop_receive(who);
    }
    void put_back(lease input) noexcept override;
    [[nodiscard]] std::optional<result<void>> begin_write(pending_write& what) noexcept override {
        return rest_.begin_write(what);
    }
    void stop_write(pending_write& what, std::error_code why) noexcept override {
        rest_.stop_write(what, why);
    }

private:
    void give_back(std::uint32_t index) noexcept override;

    buffer first_;
    std::size_t taken_ = 0;
    byte_stream& rest_;
    bool closed_ = false;
};

}  // namespace rill
