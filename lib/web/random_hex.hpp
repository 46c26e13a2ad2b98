// Random bytes as text.
#pragma once

#include <array>
#include <cstddef>

#include "base/url_chars.hpp"
#include "rill/rt/core.hpp"
#include "rt/driver.hpp"

namespace rill::web {

// `Bytes` random bytes in hexadecimal digits, from this core's driver.
template <std::size_t Bytes>
std::array<char, 2 * Bytes> random_hex() {
    std::array<std::byte, Bytes> random;
    core::current().io().random(mutable_bytes(random.data(), random.size()));
    std::array<char, 2 * Bytes> text;
    char* at = text.data();
    for (std::byte const one : random) at = rill::detail::put_hex(one, at);
    return text;
}

}  // namespace rill::web
