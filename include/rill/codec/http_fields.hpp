// HTTP field vocabulary: names, values, lists and quoted strings (RFC 9110 section 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rill/base/export.hpp"

namespace rill::http1 {

/// One field line: `name: value`, the value without the white space around it.
struct field {
    std::string_view name;   ///< As sent; names compare without case.
    std::string_view value;  ///< As sent; may hold obs-text (0x80 to 0xff).
};

/// The fields that servers ask for on most requests; a parsed head finds them without a search.
enum class known_field : std::uint8_t {
    accept,
    accept_encoding,
    accept_language,
    authorization,
    cache_control,
    connection,
    content_encoding,
    content_length,
    content_type,
    cookie,
    expect,
    forwarded,
    host,
    if_match,
    if_modified_since,
    if_none_match,
    if_range,
    if_unmodified_since,
    last_event_id,
    origin,
    range,
    referer,
    sec_websocket_extensions,
    sec_websocket_key,
    sec_websocket_protocol,
    sec_websocket_version,
    trailer,
    transfer_encoding,
    upgrade,
    user_agent,
    x_forwarded_for,
    x_forwarded_proto,
    none,  ///< Any other name.
};

/// How many names `known_field` has, without `none`.
inline constexpr std::size_t known_field_count = static_cast<std::size_t>(known_field::none);

static_assert(known_field_count <= 32, "a set of known fields is one word");

/// A set of known fields, made while the program is compiled.
class known_field_set {
public:
    /// Those, each of which has a name.
    template <class... Fields>
    consteval known_field_set(Fields... which) noexcept : bits_((bit_of(which) | ...)) {}
    /// A bit for each field, in the order of `known_field`.
    [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }
    /// The bit of one field, which has a name.
    [[nodiscard]] static constexpr std::uint32_t bit_of(known_field which) noexcept {
        return std::uint32_t{1} << static_cast<unsigned>(which);
    }

private:
    std::uint32_t bits_;
};

/// The known field of this name, whatever its case; `none` for any other.
[[nodiscard]] RILL_API known_field find_known_field(std::string_view name) noexcept;

/// The name in lower case; empty for `none`.
[[nodiscard]] RILL_API std::string_view name_of(known_field which) noexcept;

/// True when both are equal, ASCII letters in either case.
[[nodiscard]] RILL_API bool equal_ignoring_case(std::string_view left,
                                                std::string_view right) noexcept;

/// True for a token: one or more tchar. Methods and field names are tokens.
/// Spec: RFC 9110 section 5.6.2.
[[nodiscard]] RILL_API bool is_token(std::string_view text) noexcept;

/// True when the text can be sent as a field value: no CR, LF, NUL or other control but TAB.
/// Empty text is a value. Spec: RFC 9110 section 5.5.
[[nodiscard]] RILL_API bool is_field_value(std::string_view text) noexcept;

/// True for `host [":" port]`: a name, an address or a bracketed address, and a port up to 65535.
/// Empty text is a host, as a target without an authority sends it. Spec: RFC 9110 section 7.2.
[[nodiscard]] RILL_API bool is_host(std::string_view text) noexcept;

/// The text without the spaces and tabs around it.
[[nodiscard]] RILL_API std::string_view trim_space(std::string_view text) noexcept;

/// Reads a whole non-negative decimal number: digits only, no sign, no space, below 2^63.
/// Returns nothing for any other text. Spec: RFC 9110 section 8.6.
[[nodiscard]] RILL_API std::optional<std::uint64_t> parse_length(std::string_view text) noexcept;

/// The elements of a comma-separated field value, one per call of `next`.
///
/// Elements come without the white space around them, and empty ones are left out. A comma inside
/// a quoted string separates nothing; a quoted string without its end reaches to the end.
/// Spec: RFC 9110 section 5.6.1.
class RILL_API list_reader {
public:
    /// Reads `value`, which must outlive the reader.
    explicit list_reader(std::string_view value) noexcept : rest_(value) {}

    /// The next element; nothing at the end.
    [[nodiscard]] std::optional<std::string_view> next() noexcept;

private:
    std::string_view rest_;
};

/// True when the comma-separated `list` has an element equal to `token`, without case.
[[nodiscard]] RILL_API bool list_contains(std::string_view list, std::string_view token) noexcept;

/// The parameters of a field value, `name=value` with a `;` between them, one per call of `next`.
///
/// A value is a token or a quoted string; one that is quoted comes with its quotes, for `unquote`.
/// Empty parameters (`;;`) are left out. Spec: RFC 9110 section 5.6.6.
class RILL_API parameter_reader {
public:
    /// Reads `text`, which must outlive the reader: what follows the first `;` of a media type.
    explicit parameter_reader(std::string_view text) noexcept : rest_(text) {}

    /// The next parameter; nothing at the end, and where the text is malformed.
    [[nodiscard]] std::optional<field> next() noexcept;
    /// True when `next` has come upon what is no parameter.
    [[nodiscard]] bool failed() const noexcept { return failed_; }

private:
    std::string_view rest_;
    bool failed_ = false;
};

/// The media type of a Content-Type value, without its parameters: "text/html". Empty when the
/// value does not begin with one. Spec: RFC 9110 section 8.3.1.
[[nodiscard]] RILL_API std::string_view media_type_of(std::string_view content_type) noexcept;

/// The text inside a quoted string, its backslashes resolved; nothing when it is not one.
/// Cost: allocates the result. Spec: RFC 9110 section 5.6.4.
[[nodiscard]] RILL_API std::optional<std::string> unquote(std::string_view quoted);

/// True when a trailer section must not carry this field: it would change framing, routing,
/// authentication or the meaning of the content after the fact. Spec: RFC 9110 section 6.5.1.
[[nodiscard]] RILL_API bool is_forbidden_trailer(std::string_view name) noexcept;

}  // namespace rill::http1
