// Percent-encoding (RFC 3986 section 2.1) and its variant for forms. Text is decoded exactly once,
// after it was split at its delimiters, and encoded exactly once, before it is joined.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"
#include "rill/base/result.hpp"

namespace rill {

/// Which characters stand for themselves in a component of a URL; all others are written as `%XX`.
enum class url_set : unsigned char {
    unreserved = 1,             ///< Letters, digits and `-._~`: right for any value in any place.
    host = 1 | 2,               ///< A registered name.
    userinfo = 1 | 2 | 4,       ///< User and password, `:` included.
    segment = 1 | 2 | 4 | 8,    ///< One segment of a path: `/` is encoded.
    path = 1 | 2 | 4 | 8 | 16,  ///< A whole path: `/` separates its segments.
    query =
        1 | 2 | 4 | 8 | 16 | 32,  ///< A whole query: `&` and `=` stay; values take `unreserved`.
    fragment = query,             ///< A fragment.
};

/// `text` with each byte outside `keep` written as `%XX`; a `%` always is, so that decoding gives
/// `text` back.
[[nodiscard]] RILL_API std::string percent_encode(std::string_view text,
                                                  url_set keep = url_set::unreserved);

/// `text` with each `%XX` replaced by its byte. `+` stays `+`.
///
/// Returns   any bytes: NUL, `/` and ill-formed UTF-8 included. Who makes a file name of it checks.
/// Errors    `errc::bad_url`: a `%` that is not followed by two hexadecimal digits.
[[nodiscard]] RILL_API result<std::string> percent_decode(std::string_view text);

/// The same into memory of the caller, which may be the memory of `text` itself.
///
/// Returns   how many bytes were stored, at most `text.size()`.
/// Errors    also `errc::limit_exceeded`: `into` is smaller than `text`.
[[nodiscard]] RILL_API result<std::size_t> percent_decode(std::string_view text,
                                                          mutable_bytes into);

/// Encodes a name or a value of an `application/x-www-form-urlencoded` body: a space becomes `+`.
[[nodiscard]] RILL_API std::string form_encode(std::string_view text);

/// Decodes a name or a value of a form: as `percent_decode`, and `+` becomes a space.
[[nodiscard]] RILL_API result<std::string> form_decode(std::string_view text);

}  // namespace rill
