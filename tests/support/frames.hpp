// Helpers for tests of frames: what a codec writes, random codecs, and random payloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "rill/base/result.hpp"
#include "rill/codec/frame_codec.hpp"

namespace rill::test {

/// The bytes of a frame as `codec` writes it, or why it does not.
template <framing::encoder Codec>
result<std::string> written(Codec const& codec, std::span<bytes const> payload, bytes prefix = {}) {
    std::size_t size = 0;
    std::string text;
    for (bytes const piece : payload) {
        size += piece.size();
        text += piece.text();
    }
    framing::edge head;
    if (auto const refused = codec.head(head, prefix, size)) return refused;
    framing::edge tail;
    if (auto const refused = framing::append_tail(codec, tail, head.view(), payload))
        return refused;
    return std::string(head.view().text()) + text + std::string(tail.view().text());
}
template <framing::encoder Codec>
result<std::string> written(Codec const& codec, bytes payload, bytes prefix = {}) {
    return written(codec, std::span<bytes const>(&payload, 1), prefix);
}

/// What `codec` finds in `input` when it comes byte by byte, as it would from a stream.
template <framing::decoder Codec>
framing::step measured(Codec const& codec, std::string_view input) {
    std::size_t seen = 0;
    std::size_t wanted = 1;
    for (std::size_t size = 1; size <= input.size(); ++size) {
        if (size < wanted) continue;
        // A copy of the exact size, so that a sanitizer sees a read past the end.
        std::vector<char> const copy(input.begin(),
                                     input.begin() + static_cast<std::ptrdiff_t>(size));
        framing::step const found = codec.measure(copy, seen);
        if (found.whole() || found.why() != framing::fault::none) return found;
        seen = size;
        wanted = found.size();
    }
    return framing::step::more(wanted);
}

/// HTTP's chunks (RFC 9112 section 7.1) as frames: a codec as users write it.
struct chunks {
    [[nodiscard]] std::size_t maximum_bytes() const noexcept { return 4096; }
    [[nodiscard]] framing::step measure(bytes input, std::size_t) const noexcept {
        std::size_t const line = input.text().find("\r\n");
        if (line == std::string_view::npos)
            return input.size() < 8 ? framing::step::more()
                                    : framing::step::bad(framing::fault::malformed);
        std::size_t size = 0;
        for (char const digit : input.text().substr(0, line)) {
            if (digit < '0' || digit > '9') return framing::step::bad(framing::fault::malformed);
            size = size * 10 + static_cast<std::size_t>(digit - '0');
        }
        std::size_t const whole = line + 2 + size + 2;
        return input.size() < whole ? framing::step::more(whole)
                                    : framing::step::frame(whole, line + 2, size);
    }
    [[nodiscard]] std::error_code head(framing::edge& into, bytes, std::size_t size) const {
        into.append(std::to_string(size) + "\r\n");
        return {};
    }
    [[nodiscard]] std::error_code tail(framing::edge& into, bytes,
                                       std::span<bytes const>) const noexcept {
        into.append("\r\n");
        return {};
    }
};
static_assert(framing::codec<chunks>);

/// Numbers that a seed decides.
class dice {
public:
    explicit dice(std::uint64_t seed) : engine_(seed) {}
    /// 0 to `most`.
    std::size_t up_to(std::size_t most) {
        return std::uniform_int_distribution<std::size_t>(0, most)(engine_);
    }
    bool coin() { return up_to(1) == 1; }
    /// `size` bytes out of the first `kinds` byte values.
    std::string text(std::size_t size, std::size_t kinds = 256) {
        std::string made(size, '\0');
        for (char& each : made) each = static_cast<char>(up_to(kinds - 1));
        return made;
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace rill::test
