// Base64 with padding. RFC 4648 section 4.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rill/base/bytes.hpp"

namespace rill::codec {

/// The value of a digit, 0 to 63; -1 for any other character.
[[nodiscard]] int base64_value(char c) noexcept;

/// The bytes of `text`; nothing where it is no base64. Padding is wanted where it belongs, and bits
/// that mean nothing are zero: one spelling for each text.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

/// `data` as text.
[[nodiscard]] std::string encode_base64(bytes data);

}  // namespace rill::codec
