// HTTP request methods (RFC 9110 section 9, RFC 5789) and status texts (RFC 9110 section 15).
#pragma once

#include <cstdint>
#include <string_view>

#include "rill/base/export.hpp"

namespace rill::http1 {

/// The methods that have a name of their own here.
enum class method : std::uint8_t {
    get,
    head,
    post,
    put,
    delete_,
    connect,
    options,
    trace,
    patch,
    other,  ///< Any other token; the request's head has its text.
};

/// The method of this text; methods are case-sensitive. `other` for any that has no name here.
[[nodiscard]] RILL_API method find_method(std::string_view text) noexcept;

/// "GET", "POST"...; empty for `other`.
[[nodiscard]] RILL_API std::string_view name_of(method which) noexcept;

/// "OK" for 200; empty for a code that the IANA registry does not know.
[[nodiscard]] RILL_API std::string_view status_text(unsigned code) noexcept;

}  // namespace rill::http1
