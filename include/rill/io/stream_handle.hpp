// stream_handle: what the handles of byte streams have in common.
#pragma once

#include <span>
#include <utility>

#include "rill/base/assert.hpp"
#include "rill/base/bytes.hpp"
#include "rill/base/time.hpp"
#include "rill/io/byte_stream.hpp"

namespace rill {

/// A byte stream in the hands of a program: what `tcp::stream` and `descriptor_stream` are, each of
/// which owns its stream.
class stream_handle {
public:
    /// True when there is a stream in it.
    [[nodiscard]] explicit operator bool() const noexcept { return stream_ != nullptr; }

    /// See `byte_stream::receive`.
    [[nodiscard]] receive_operation receive(time_point deadline = never) noexcept {
        return bytes_of().receive(deadline);
    }
    /// See `byte_stream::read`.
    [[nodiscard]] read_operation read(mutable_bytes into, time_point deadline = never) noexcept {
        return bytes_of().read(into, deadline);
    }
    /// See `byte_stream::write`.
    [[nodiscard]] write_operation write(bytes what, time_point deadline = never) noexcept {
        return bytes_of().write(what, deadline);
    }
    /// See `byte_stream::write`.
    [[nodiscard]] write_operation write(std::span<bytes const> pieces,
                                        time_point deadline = never) noexcept {
        return bytes_of().write(pieces, deadline);
    }
    /// Ends this side after the writes so far, as `byte_stream::finish`; receiving goes on.
    void finish() noexcept { bytes_of().finish(); }
    /// Closes now; waits in progress end with `closed`.
    void close() noexcept { bytes_of().close(); }

    /// The stream as protocols see it. Lives as long as this object is not moved from or closed.
    [[nodiscard]] byte_stream& bytes_of() const noexcept {
        RILL_ASSERT(stream_ != nullptr, "this stream was moved from or never opened");
        return *stream_;
    }
    /// The same, where a protocol wants it.
    operator byte_stream&() const noexcept { return bytes_of(); }

protected:
    /// No stream.
    stream_handle() noexcept = default;
    /// A handle of `of`, which the derived class lets go.
    explicit stream_handle(byte_stream* of) noexcept : stream_(of) {}
    stream_handle(stream_handle&& other) noexcept
        : stream_(std::exchange(other.stream_, nullptr)) {}
    stream_handle& operator=(stream_handle&&) = delete;
    ~stream_handle() = default;

    byte_stream* stream_ = nullptr;  ///< The derived class's own, or null.
};

}  // namespace rill
