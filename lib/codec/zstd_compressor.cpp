// zstd (RFC 8878), by libzstd. RFC 9659 keeps windows of HTTP to 8 MiB.
#include <zstd.h>

#include <new>

#include "codec/compressor.hpp"
#include "rill/base/assert.hpp"

namespace rill::codec {

namespace {

constexpr std::size_t room_bytes = 4096;
constexpr int least_window_bits = 10;  // of the format

class zstd_compressor final : public compressor {
public:
    zstd_compressor(int level, std::optional<std::uint64_t> size) : context_(ZSTD_createCCtx()) {
        if (context_ == nullptr) throw std::bad_alloc();
        set(ZSTD_c_compressionLevel, level);
        set(ZSTD_c_windowLog, window_bits(size, least_window_bits, largest_window_bits));
        set(ZSTD_c_checksumFlag, 0);
        if (size) ZSTD_CCtx_setPledgedSrcSize(context_.get(), *size);
    }

    void add(bytes piece, step what, std::string& into) override {
        ZSTD_EndDirective const directive = what == step::end     ? ZSTD_e_end
                                            : what == step::flush ? ZSTD_e_flush
                                                                  : ZSTD_e_continue;
        ZSTD_inBuffer in{piece.data(), piece.size(), 0};
        for (;;) {
            std::size_t const before = into.size();
            into.resize(before + room_bytes);
            ZSTD_outBuffer out{into.data() + before, room_bytes, 0};
            std::size_t const left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
            into.resize(before + out.pos);
            // Of known parameters and a size that is kept only memory can be missing.
            if (ZSTD_isError(left) != 0) throw std::bad_alloc();
            bool const taken = in.pos == in.size;
            if (taken && (directive == ZSTD_e_continue || left == 0)) return;
        }
    }

private:
    void set(ZSTD_cParameter which, int value) {
        std::size_t const outcome = ZSTD_CCtx_setParameter(context_.get(), which, value);
        RILL_ASSERT(ZSTD_isError(outcome) == 0, "zstd knows the levels 1 to 22");
    }

    struct ends {
        void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
    };
    std::unique_ptr<ZSTD_CCtx, ends> context_;
};

}  // namespace

std::unique_ptr<compressor> make_zstd(int level, std::optional<std::uint64_t> size) {
    return std::make_unique<zstd_compressor>(level, size);
}

}  // namespace rill::codec
