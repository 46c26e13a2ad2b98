// gzip (RFC 1952), by zlib.
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "codec/compressor.hpp"
#include "rill/base/assert.hpp"

namespace rill::codec {

namespace {

// zlib's word for the gzip format: 16 more than the bits of the window.
constexpr int gzip_format = 16;
constexpr std::size_t room_bytes = 4096;

class gzip_compressor final : public compressor {
public:
    gzip_compressor(int level, std::optional<std::uint64_t> size) {
        // 9 is the least that deflate makes right; tables of a size that fits the window.
        int const bits = window_bits(size, 9, MAX_WBITS);
        int const outcome = deflateInit2(&stream_, level, Z_DEFLATED, bits + gzip_format,
                                         std::min(bits - 6, 8), Z_DEFAULT_STRATEGY);
        if (outcome == Z_MEM_ERROR) throw std::bad_alloc();
        RILL_ASSERT(outcome == Z_OK, "zlib knows the levels 1 to 9");
    }
    ~gzip_compressor() override { deflateEnd(&stream_); }
    gzip_compressor(gzip_compressor const&) = delete;
    gzip_compressor& operator=(gzip_compressor const&) = delete;

    void add(bytes piece, step what, std::string& into) override {
        do {
            auto const part =
                piece.first(std::min<std::size_t>(piece.size(), std::numeric_limits<uInt>::max()));
            piece = piece.without_first(part.size());
            add_part(part, piece.empty() ? what : step::more, into);
        } while (!piece.empty());
    }

private:
    void add_part(bytes piece, step what, std::string& into) {
        int const flush = what == step::end     ? Z_FINISH
                          : what == step::flush ? Z_SYNC_FLUSH
                                                : Z_NO_FLUSH;
        // zlib does not write through it, but its interface says so.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(piece.data()));
        stream_.avail_in = static_cast<uInt>(piece.size());
        do {
            std::size_t const before = into.size();
            into.resize(before + room_bytes);
            stream_.next_out = reinterpret_cast<Bytef*>(into.data() + before);
            stream_.avail_out = static_cast<uInt>(room_bytes);
            deflate(&stream_, flush);
            into.resize(before + room_bytes - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

    z_stream stream_{};
};

}  // namespace

std::unique_ptr<compressor> make_gzip(int level, std::optional<std::uint64_t> size) {
    return std::make_unique<gzip_compressor>(level, size);
}

}  // namespace rill::codec
