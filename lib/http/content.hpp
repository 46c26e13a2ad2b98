// The content of one request: taken out of the exchange's input, received when that is used up,
// within the bounds of the server or the route. RFC 9112 sections 6 and 7, RFC 9110 section 10.1.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rill/codec/http1_body.hpp"
#include "rill/codec/http1_request.hpp"
#include "rill/coro/task.hpp"
#include "rill/http/headers.hpp"
#include "rill/http/streaming_request.hpp"

namespace rill::http {

class exchange;

/// What content may cost.
struct content_bounds {
    std::uint64_t bytes = 0;  ///< Most bytes of it.
    duration patience = {};   ///< How long the client is waited for, all waits together.
};

/// Gives the content of the request that an exchange is at, in pieces where they lie.
///
/// Made once the head is copied: the input begins with the content then.
class content_reader final : public body_reader {
public:
    /// How far a step has come.
    enum class found : std::uint8_t {
        piece,    ///< `piece()` is the next.
        end,      ///< There is no more.
        refused,  ///< The client broke a rule or a bound: `status()` and `reason()`.
        lost,     ///< The connection is broken or the client gone.
    };

    content_reader(exchange& of, http1::request_head const& head, content_bounds bounds);

    /// The next piece, for whom a refusal is no exception. Dies at the next call.
    [[nodiscard]] task<found> next();
    [[nodiscard]] bytes piece() const noexcept { return piece_; }
    [[nodiscard]] unsigned status() const noexcept { return status_; }
    [[nodiscard]] char const* reason() const noexcept { return reason_; }

    /// True when the client has sent nothing of it and waits to be told to.
    [[nodiscard]] bool waits_for_continue() const noexcept { return continue_due_; }
    /// The answer begins: what is to follow on the connection, as far as the content decides.
    /// `read_on` where the content may be read while the answer is sent. Returns false when the
    /// connection cannot be kept.
    [[nodiscard]] bool answer_begins(bool read_on);
    /// After the answer: receives and drops what is left, where that is little. False when the
    /// connection cannot be kept.
    [[nodiscard]] task<bool> drop_rest();

    /// True when all of it was read or dropped.
    [[nodiscard]] bool ended() const noexcept { return last_ == found::end; }
    /// True when reading it has failed, by the client's fault.
    [[nodiscard]] bool failed() const noexcept { return last_ >= found::refused; }
    /// True when the connection is gone.
    [[nodiscard]] bool lost() const noexcept { return last_ == found::lost; }

    // What handlers call.
    [[nodiscard]] task<body_piece> read() override;
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return size_; }
    [[nodiscard]] headers const& trailers() const override { return trailers_; }

private:
    [[nodiscard]] bool take();
    void drop_at_hand();
    [[nodiscard]] bool little_left() const noexcept;
    void end();
    void refuse(unsigned code, char const* reason) noexcept;
    [[nodiscard]] task<bool> receive();

    exchange& of_;
    http1::body_decoder decoder_;
    content_bounds bounds_;
    std::optional<std::uint64_t> size_;
    std::uint64_t taken_ = 0;
    bytes piece_;
    headers trailers_;
    char const* reason_ = "";
    unsigned status_ = 0;
    found last_ = found::piece;  // never goes back from the others
    bool continue_due_;          // the client waits for 100
    bool answering_ = false;     // the output is the answer's
};

}  // namespace rill::http
