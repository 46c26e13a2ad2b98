// Which coding is made by which library.
#include "codec/compressor.hpp"

#include <algorithm>
#include <bit>

#include "rill/base/assert.hpp"

namespace rill::codec {

std::string_view name_of(content_coding coding) noexcept {
    switch (coding) {
        case content_coding::gzip:
            return "gzip";
        case content_coding::br:
            return "br";
        case content_coding::zstd:
            return "zstd";
    }
    return {};
}

bool is_built_in([[maybe_unused]] content_coding coding) noexcept {
#ifdef RILL_HAS_ZLIB
    if (coding == content_coding::gzip) return true;
#endif
#ifdef RILL_HAS_BROTLI
    if (coding == content_coding::br) return true;
#endif
#ifdef RILL_HAS_ZSTD
    if (coding == content_coding::zstd) return true;
#endif
    return false;
}

int window_bits(std::optional<std::uint64_t> size, int least, int most) noexcept {
    if (!size) return most;
    return std::clamp(static_cast<int>(std::bit_width(*size)), least, most);
}

std::unique_ptr<compressor> compressor::make(content_coding coding, [[maybe_unused]] int level,
                                             [[maybe_unused]] std::optional<std::uint64_t> size) {
#ifdef RILL_HAS_ZLIB
    if (coding == content_coding::gzip) return make_gzip(level, size);
#endif
#ifdef RILL_HAS_BROTLI
    if (coding == content_coding::br) return make_brotli(level, size);
#endif
#ifdef RILL_HAS_ZSTD
    if (coding == content_coding::zstd) return make_zstd(level, size);
#endif
    RILL_ASSERT(false, "ask is_built_in before a compressor is made");
    return nullptr;
}

}  // namespace rill::codec
