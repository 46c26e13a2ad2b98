// The decoders of the three libraries.
#include "support/inflate.hpp"

#ifdef RILL_HAS_ZLIB
#include <zlib.h>
#endif
#ifdef RILL_HAS_BROTLI
#include <brotli/decode.h>
#endif
#ifdef RILL_HAS_ZSTD
#include <zstd.h>
#endif

namespace rill::test {

namespace {

constexpr std::size_t most = 16 * 1024 * 1024;

#ifdef RILL_HAS_ZLIB
std::optional<std::string> inflated_gzip(std::string_view text, bool whole) {
    z_stream stream{};
    if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK) return std::nullopt;
    std::string out(most, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    int const outcome = inflate(&stream, Z_SYNC_FLUSH);
    out.resize(out.size() - stream.avail_out);
    bool const rest = stream.avail_in != 0;
    inflateEnd(&stream);
    bool const good = outcome == Z_STREAM_END || (!whole && outcome == Z_OK);
    if (!good || rest) return std::nullopt;
    return out;
}
#endif

#ifdef RILL_HAS_BROTLI
std::optional<std::string> inflated_br(std::string_view text, bool whole) {
    BrotliDecoderState* const state = BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
    std::string out(most, '\0');
    auto const* in = reinterpret_cast<std::uint8_t const*>(text.data());
    std::size_t left = text.size();
    auto* to = reinterpret_cast<std::uint8_t*>(out.data());
    std::size_t room = out.size();
    auto const outcome = BrotliDecoderDecompressStream(state, &left, &in, &room, &to, nullptr);
    BrotliDecoderDestroyInstance(state);
    out.resize(out.size() - room);
    bool const good = outcome == BROTLI_DECODER_RESULT_SUCCESS ||
                      (!whole && outcome == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT);
    if (!good || left != 0) return std::nullopt;
    return out;
}
#endif

#ifdef RILL_HAS_ZSTD
std::optional<std::string> inflated_zstd(std::string_view text, bool whole) {
    ZSTD_DCtx* const context = ZSTD_createDCtx();
    std::string out(most, '\0');
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    std::size_t const left = ZSTD_decompressStream(context, &to, &in);
    ZSTD_freeDCtx(context);
    out.resize(to.pos);
    if (ZSTD_isError(left) != 0 || in.pos != in.size || (whole && left != 0)) return std::nullopt;
    return out;
}
#endif

}  // namespace

std::optional<std::string> inflated([[maybe_unused]] std::string_view coding,
                                    [[maybe_unused]] std::string_view text,
                                    [[maybe_unused]] bool whole) {
#ifdef RILL_HAS_ZLIB
    if (coding == "gzip") return inflated_gzip(text, whole);
#endif
#ifdef RILL_HAS_BROTLI
    if (coding == "br") return inflated_br(text, whole);
#endif
#ifdef RILL_HAS_ZSTD
    if (coding == "zstd") return inflated_zstd(text, whole);
#endif
    return std::nullopt;
}

}  // namespace rill::test
