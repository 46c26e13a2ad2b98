// Authorization: a scheme and what proves who somebody is.
// RFC 9110 section 11.4 (credentials), RFC 7617 (Basic), RFC 6750 section 2.1 (Bearer).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::codec {

/// What an Authorization field holds, as views of it.
struct credentials {
    std::string_view scheme;  ///< As it was sent; compare it without case.
    std::string_view rest;    ///< A token, or parameters; without white space around it.

    /// True for that scheme.
    [[nodiscard]] bool is(std::string_view name) const noexcept {
        return http1::equal_ignoring_case(scheme, name);
    }
};

/// Takes the field apart. Returns nothing where it does not begin with a scheme.
[[nodiscard]] RILL_API std::optional<credentials> parse_credentials(std::string_view text) noexcept;

/// True for a token68: letters, digits and `-._~+/`, then any number of `=`.
[[nodiscard]] RILL_API bool is_token68(std::string_view text) noexcept;

/// A name and a password.
struct user_and_password {
    std::string user;      ///< Without a colon.
    std::string password;  ///< May be empty.
};

/// Reads the token of the Basic scheme. Returns nothing where it is not base64 of a text with a
/// colon, or holds control characters. Cost: allocates. Spec: RFC 7617 section 2.
[[nodiscard]] RILL_API std::optional<user_and_password> parse_basic(std::string_view token);

/// One parameter of a list: `realm="a"`.
struct auth_parameter {
    std::string_view name;   ///< Compare it without case.
    std::string_view value;  ///< A token, or a quoted string with its quotes, for `http1::unquote`.
};

/// The parameters of credentials, one per call of `next`. Spec: RFC 9110 section 11.2.
class RILL_API auth_parameter_reader {
public:
    /// Reads `text`, which must outlive it.
    explicit auth_parameter_reader(std::string_view text) noexcept : list_(text) {}
    /// The next one; nothing at the end, and where the text is malformed.
    [[nodiscard]] std::optional<auth_parameter> next() noexcept;
    /// True when `next` has come upon what is no parameter.
    [[nodiscard]] bool failed() const noexcept { return failed_; }

private:
    http1::list_reader list_;
    bool failed_ = false;
};

}  // namespace rill::codec
