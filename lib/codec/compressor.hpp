// Content codings that make content smaller, by the libraries that rill was built with.
// RFC 9110 section 8.4.1 (gzip), RFC 7932 (br), RFC 8878 and RFC 9659 (zstd).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rill/base/bytes.hpp"

namespace rill::codec {

enum class content_coding : std::uint8_t { gzip, br, zstd };

// As the fields of HTTP say it.
[[nodiscard]] std::string_view name_of(content_coding coding) noexcept;

// True where the library for it was there when rill was built.
[[nodiscard]] bool is_built_in(content_coding coding) noexcept;

// Makes one body smaller.
class compressor {
public:
    // What is to come out of a step.
    enum class step : std::uint8_t {
        more,   // what is full
        flush,  // all that went in so far can be read
        end,    // all, and the end
    };

    // What a library takes at most of memory for one body, at the levels that it is asked for: the
    // sliding windows are kept to 256 KiB and less.
    static constexpr int largest_window_bits = 18;

    // `size` is that of the whole body, where it is known: small ones get small tables. The coding
    // must be built in. Throws bad_alloc.
    [[nodiscard]] static std::unique_ptr<compressor> make(content_coding coding, int level,
                                                          std::optional<std::uint64_t> size);

    virtual ~compressor() = default;

    // Takes all of `piece`, and appends what comes out. Nothing goes in after the end.
    virtual void add(bytes piece, step what, std::string& into) = 0;
};

// The bits of a window that holds `size` bytes, within the bounds.
[[nodiscard]] int window_bits(std::optional<std::uint64_t> size, int least, int most) noexcept;

[[nodiscard]] std::unique_ptr<compressor> make_gzip(int level, std::optional<std::uint64_t> size);
[[nodiscard]] std::unique_ptr<compressor> make_brotli(int level, std::optional<std::uint64_t> size);
[[nodiscard]] std::unique_ptr<compressor> make_zstd(int level, std::optional<std::uint64_t> size);

}  // namespace rill::codec
