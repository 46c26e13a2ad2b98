// br (RFC 7932), by the brotli library.
#include <brotli/encode.h>

#include <new>

#include "codec/compressor.hpp"

namespace rill::codec {

namespace {

class brotli_compressor final : public compressor {
public:
    brotli_compressor(int level, std::optional<std::uint64_t> size)
        : state_(BrotliEncoderCreateInstance(nullptr, nullptr, nullptr)) {
        if (state_ == nullptr) throw std::bad_alloc();
        auto const set = [this](BrotliEncoderParameter which, std::uint64_t value) {
            BrotliEncoderSetParameter(state_.get(), which, static_cast<std::uint32_t>(value));
        };
        set(BROTLI_PARAM_QUALITY, static_cast<std::uint64_t>(level));
        set(BROTLI_PARAM_LGWIN, static_cast<std::uint64_t>(window_bits(size, BROTLI_MIN_WINDOW_BITS,
                                                                       largest_window_bits)));
        // A hint of 0 is none.
        if (size && *size <= (std::uint64_t{1} << 30)) set(BROTLI_PARAM_SIZE_HINT, *size);
    }

    void add(bytes piece, step what, std::string& into) override {
        BrotliEncoderOperation const operation = what == step::end     ? BROTLI_OPERATION_FINISH
                                                 : what == step::flush ? BROTLI_OPERATION_FLUSH
                                                                       : BROTLI_OPERATION_PROCESS;
        auto const* next = reinterpret_cast<std::uint8_t const*>(piece.data());
        std::size_t left = piece.size();
        do {
            std::size_t none = 0;
            if (BrotliEncoderCompressStream(state_.get(), operation, &left, &next, &none, nullptr,
                                            nullptr) == BROTLI_FALSE) {
                throw std::bad_alloc();  // the only way in which it fails
            }
            std::size_t size = 0;
            auto const* const out = BrotliEncoderTakeOutput(state_.get(), &size);
            if (size != 0) into.append(reinterpret_cast<char const*>(out), size);
        } while (left != 0 || BrotliEncoderHasMoreOutput(state_.get()) == BROTLI_TRUE);
    }

private:
    struct ends {
        void operator()(BrotliEncoderState* state) const noexcept {
            BrotliEncoderDestroyInstance(state);
        }
    };
    std::unique_ptr<BrotliEncoderState, ends> state_;
};

}  // namespace

std::unique_ptr<compressor> make_brotli(int level, std::optional<std::uint64_t> size) {
    return std::make_unique<brotli_compressor>(level, size);
}

}  // namespace rill::codec
