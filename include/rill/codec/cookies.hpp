// Cookies: what a client sends back, and which texts a cookie may be made of.
// RFC 6265 sections 4.1.1 (Set-Cookie) and 4.2.1 (Cookie).
#pragma once

#include <optional>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::codec {

/// The cookies of one Cookie field, one per call of `next`.
///
/// A `;` separates in every place, inside quotes, too: the quoted strings and `$Version` of RFC
/// 2109 are not read, as other readers would find other cookies in them. A value in quotes comes
/// without them. What has no `=`, or a name that is no token, is left out; white space is space and
/// tab alone.
class RILL_API cookie_reader {
public:
    /// Reads the value of a Cookie field, which must outlive the reader.
    explicit cookie_reader(std::string_view value) noexcept : rest_(value) {}

    /// The next cookie; nothing at the end.
    [[nodiscard]] std::optional<http1::field> next() noexcept;

private:
    std::string_view rest_;
};

/// True for what a cookie's value may be: cookie-octets without quotes around them, also none.
[[nodiscard]] RILL_API bool is_cookie_value(std::string_view text) noexcept;

/// True for what a Path attribute may be: it begins with a slash and has neither a `;` nor a
/// control character.
[[nodiscard]] RILL_API bool is_cookie_path(std::string_view text) noexcept;

/// True for what a Domain attribute may be: labels of letters, digits and hyphens, with dots
/// between them.
[[nodiscard]] RILL_API bool is_cookie_domain(std::string_view text) noexcept;

}  // namespace rill::codec
