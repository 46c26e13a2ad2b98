// The header that a proxy sends before the first byte of its client: the PROXY protocol of HAProxy,
// versions 1 (text) and 2 (binary).
#pragma once

#include <cstddef>
#include <cstdint>

#include "rill/base/address.hpp"
#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"

namespace rill::codec {

/// What a stream begins with.
struct proxy_header {
    /// How far it has come.
    enum class progress : std::uint8_t {
        need_more,  ///< It may become a header.
        complete,   ///< It is one.
        failed,     ///< It is none.
    };

    progress state = progress::need_more;  ///< How far it has come.
    std::size_t size = 0;                  ///< Its bytes, when complete.
    /// The client of the proxy; of kind `none` where the proxy speaks for itself (LOCAL), does not
    /// know it (UNKNOWN, UNSPEC), or where it came by a local socket without a name.
    address client = {};

    /// The most bytes of a header, its extensions included.
    static constexpr std::size_t max_size = 4096;
};

/// Reads the header that `input` begins with. Extensions (TLV) are skipped.
[[nodiscard]] RILL_API proxy_header parse_proxy_header(bytes input);

}  // namespace rill::codec
