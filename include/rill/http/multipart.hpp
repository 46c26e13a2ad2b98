// multipart_reader: the parts of a form with files, read while they arrive.
// RFC 7578 (multipart/form-data), RFC 2046 section 5.1.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/codec/multipart.hpp"
#include "rill/coro/task.hpp"
#include "rill/http/streaming_request.hpp"

namespace rill::http {

class multipart_reader;

/// What a form with files may have. The bytes of the whole content are the route's `body_bytes`.
struct multipart_limits {
    /// Parts, which are fields and files; over it the answer is 413.
    std::uint32_t parts = 100;
    /// Bytes of the head of one part; over it the answer is 413.
    std::uint32_t header_bytes = 4096;
    /// Bytes of the content of one part; over it the answer is 413. 0 is no limit.
    std::uint64_t part_bytes = 0;
    /// Bytes of the content of all parts together; over it the answer is 413. 0 is no limit.
    std::uint64_t content_bytes = 0;
};
static_assert(std::is_trivially_destructible_v<multipart_limits>);

/// One part of a form: a field or a file. Good until the next part is asked for.
class RILL_API multipart_part {
public:
    /// The field's name.
    [[nodiscard]] std::string_view name() const noexcept { return parser_.head().name; }
    /// The name of the file as the client says it; nothing where the part is no file. It may hold
    /// any directories and characters: never make a path of it.
    [[nodiscard]] std::optional<std::string> const& filename() const noexcept {
        return parser_.head().filename;
    }
    /// What the client takes the content for; "text/plain" where it does not say.
    [[nodiscard]] std::string_view content_type() const noexcept {
        return parser_.head().content_type;
    }

    /// Waits for more of the part: `while (auto const piece = co_await part->read()) ... *piece`.
    /// Returns   the next piece, as it came; an empty one at the end, again and again.
    /// Errors    `problem` 400 or 413 where the form breaks a rule or a limit, and as
    ///           `body_reader::read`: let it pass.
    /// Cancel    nothing is lost.
    [[nodiscard]] task<body_piece> read();
    /// The rest of the part as text, for fields. Errors as in `read`; `problem` 413 beyond `most`
    /// bytes.
    [[nodiscard]] task<std::string> text(std::size_t most = std::size_t{64} * 1024);

private:
    friend class multipart_reader;
    multipart_part(body_reader& content, codec::multipart_parser parser)
        : content_(content), parser_(std::move(parser)) {}
    [[nodiscard]] task<codec::multipart_step> step();

    body_reader& content_;
    codec::multipart_parser parser_;
    bytes left_;         // of the piece that was read last
    bool open_ = false;  // the part has begun and not ended
};

/// Reads a form with files, as pages send it with enctype="multipart/form-data", part after part,
/// in the memory of one piece:
///
///     http::multipart_reader form(req);
///     while (auto* part = co_await form.next()) ...
///
/// While nobody reads, the client waits.
class RILL_API multipart_reader {
public:
    /// Reads the content of `req`, which must outlive the reader.
    /// Errors    `problem` 415 when the content is no multipart/form-data; 400 when it has no
    ///           boundary, or one that is not allowed.
    explicit multipart_reader(streaming_request& req, multipart_limits limits = {});

    /// The next part, in order; null behind the last. What was left of the part before is dropped.
    /// Errors and cancel as in `multipart_part::read`.
    [[nodiscard]] task<multipart_part*> next();

private:
    multipart_part part_;
};

}  // namespace rill::http
