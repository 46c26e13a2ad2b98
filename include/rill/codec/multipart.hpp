// multipart_parser: the parts of a multipart/form-data body, piece by piece, without input or
// output. RFC 7578, RFC 2046 section 5.1.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"

namespace rill::codec {

/// The boundary of a Content-Type of multipart/form-data; nothing when there is none, or one that
/// RFC 2046 does not allow: 1 to 70 letters, digits, spaces and '()+_,-./:=?, no space at the end.
[[nodiscard]] RILL_API std::optional<std::string> multipart_boundary(std::string_view content_type);

/// What the head of a part says.
struct part_head {
    std::string name;  ///< The field's name, as it was sent, without quotes.
    /// The name of a file, as it was sent. Browsers write `%22` for a quote and send any
    /// directories and characters, so it is no name for a file of this machine. Nothing where the
    /// part is no file.
    std::optional<std::string> filename;
    std::string content_type;  ///< Content-Type; "text/plain" when there is none.
};

/// What a step of `multipart_parser` has found.
enum class multipart_event : std::uint8_t {
    need_more,  ///< All input is used up.
    part,       ///< A part begins: `head()`.
    data,       ///< Content of the part.
    part_end,   ///< The part has ended.
    end,        ///< The last part has ended; what follows is of no meaning.
    failed,     ///< The body breaks a rule or a bound: `failure_status()`, `failure_reason()`.
};

/// One step of `multipart_parser`.
struct multipart_step {
    multipart_event what;  ///< What was found.
    std::size_t consumed;  ///< How much of the input is done with.
    bytes data;            ///< With `data`: a part of the input, or memory of the parser.
};

/// Takes a body apart, as it comes. Nothing of the content is kept: a piece that may be a boundary
/// is known by its length alone. The time is linear in the input.
class RILL_API multipart_parser {
public:
    /// How much a body may have.
    struct limits {
        std::uint32_t parts = 100;            ///< Parts.
        std::uint32_t header_bytes = 4096;    ///< Bytes of the head of one part.
        std::uint64_t part_bytes = ~0ULL;     ///< Bytes of the content of one part.
        std::uint64_t content_bytes = ~0ULL;  ///< Bytes of the content of all parts together.
    };

    /// For a body with that boundary, as `multipart_boundary` gives it.
    multipart_parser(std::string_view boundary, limits const& bounds);

    /// The next step over `input`, which goes on where the last step's `consumed` ended.
    [[nodiscard]] multipart_step next(bytes input);
    /// The input has ended. Returns true when the body was whole; else it has failed.
    [[nodiscard]] bool finish() noexcept;

    /// The head of the part that has begun last.
    [[nodiscard]] part_head const& head() const noexcept { return head_; }
    /// 400 for what is malformed, 413 for a bound; 0 while all is well.
    [[nodiscard]] unsigned failure_status() const noexcept { return status_; }
    /// What is wrong, for people.
    [[nodiscard]] char const* failure_reason() const noexcept { return reason_; }

private:
    enum class state : std::uint8_t { preamble, content, boundary_end, head_lines, ended, failed };

    multipart_step go_on(bytes input);
    multipart_step scan(bytes input);
    multipart_step at_boundary(std::size_t consumed);
    multipart_step after_boundary(bytes input);
    multipart_step read_head(bytes input);
    multipart_step content(std::size_t consumed, bytes data);
    multipart_step fail(unsigned status, char const* reason) noexcept;
    bool parse_head();
    bool parse_disposition(std::string_view value);

    std::string delimiter_;  // CR LF and two hyphens before the boundary
    limits limits_;
    state state_ = state::preamble;
    // How many bytes of the delimiter the input has ended with. A body begins as behind a line.
    std::size_t matched_ = 2;
    std::size_t owed_ = 0;  // bytes that were taken for the delimiter's first and are content
    std::string lines_;     // of the head, or behind a boundary, as far as they came
    std::uint32_t parts_ = 0;
    std::uint64_t part_bytes_ = 0;
    std::uint64_t content_bytes_ = 0;
    part_head head_;
    unsigned status_ = 0;
    char const* reason_ = "";
};

}  // namespace rill::codec
