// streaming_request: a request whose handler starts before the content is there, and reads it.
// RFC 9110 sections 6.4 (content), 6.5 (trailers) and 10.1.1 (Expect); RFC 9112 section 7.1.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rill/base/bytes.hpp"
#include "rill/coro/task.hpp"
#include "rill/http/headers.hpp"
#include "rill/http/request.hpp"

namespace rill::http {

/// A piece of content where it was received; empty at the end.
///
/// Lifetime  good until the next `read` of the same content, and no longer than the handler.
class body_piece {
public:
    /// The end.
    body_piece() noexcept = default;
    /// A piece in memory of the connection.
    explicit body_piece(rill::bytes content) noexcept : content_(content) {}

    /// True when there are bytes; false at the end of the content.
    [[nodiscard]] explicit operator bool() const noexcept { return !content_.empty(); }
    /// The bytes.
    [[nodiscard]] rill::bytes operator*() const noexcept { return content_; }
    /// The bytes as text; no check of their encoding.
    [[nodiscard]] std::string_view text() const noexcept { return content_.text(); }
    /// How many bytes.
    [[nodiscard]] std::size_t size() const noexcept { return content_.size(); }

private:
    rill::bytes content_;
};

/// The content of a request, while it arrives.
///
/// Nothing is received ahead of `read` but what the stream below holds, so a handler that is slow
/// makes its client wait. A client that expects `100 Continue` gets it at the first `read`.
class body_reader {
public:
    /// Waits for more content: `while (auto piece = co_await body.read()) ... *piece`.
    ///
    /// Returns   the next piece, as it came; an empty one at the end, again and again.
    /// Errors    `problem` where the client sends what is malformed (400), too much (413) or too
    ///           slowly (408): let it pass, it is the right answer. `error` when the client has
    ///           ended the stream before the content was whole.
    /// Cancel    nothing is lost: the next `read` goes on.
    [[nodiscard]] virtual task<body_piece> read() = 0;

    /// How large the content is as a whole, in bytes; nothing where only its end will tell.
    [[nodiscard]] virtual std::optional<std::uint64_t> size() const noexcept = 0;

    /// The trailer fields of chunked content, once `read` has come to the end; none before, and
    /// none for content with a length. Fields that may not be trailers (those of framing, routing,
    /// authentication and the like) are dropped.
    [[nodiscard]] virtual headers const& trailers() const = 0;

protected:
    ~body_reader() = default;
};

/// A request whose content is read by its handler: `task<...> f(http::streaming_request&)`.
///
/// The handler runs as soon as the head is there. Content that it leaves unread is dropped where
/// little is left, and else the connection is closed after the answer.
class streaming_request : public request {
public:
    /// An empty request; a connection fills it.
    streaming_request() noexcept {}

    /// The content, piece by piece.
    [[nodiscard]] body_reader& body() const noexcept {
        RILL_ASSERT(reader_ != nullptr, "only the handler of a streamed request reads its content");
        return *reader_;
    }

    /// A form is read from content that is there as a whole: take an `http::request&` for that.
    template <class T = std::string_view>
    T form(std::string_view name) const = delete;
    /// The same.
    template <class T>
    T form(std::string_view name, T fallback) const = delete;
    /// The same.
    bool has_form(std::string_view name) const = delete;
    /// The same.
    http::parameters form_parameters() const = delete;
    /// The same.
    http::parameters form_parameters(std::string_view name) const = delete;

private:
    friend struct detail::request_access;
    body_reader* reader_ = nullptr;
};

}  // namespace rill::http
