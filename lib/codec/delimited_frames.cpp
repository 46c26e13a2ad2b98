// Searching delimiters, and refusing payloads that would hold one.
#include "rill/codec/delimited_frames.hpp"

#include <algorithm>

namespace rill::framing {

namespace {

/// True when `what` begins in `payload` before its end: in one piece, or across pieces and into the
/// delimiter that follows them.
bool holds(std::span<bytes const> payload, std::string_view what) noexcept {
    // The last bytes before the point that is looked at; a match across a seam lies in them.
    std::array<char, 4 * delimited::most_delimiter_bytes> seam = {};
    std::size_t kept = 0;
    std::size_t const overlap = what.size() - 1;
    auto const crosses = [&](std::string_view next) {
        std::size_t const taken = std::min(next.size(), overlap);
        next.copy(seam.data() + kept, taken);
        return std::string_view(seam.data(), kept + taken).find(what) != std::string_view::npos;
    };
    for (bytes const piece : payload) {
        std::string_view const text = piece.text();
        if (text.find(what) != std::string_view::npos || crosses(text)) return true;
        if (text.size() >= overlap) {
            kept = text.copy(seam.data(), overlap, text.size() - overlap);
        } else {
            // `crosses` has put the short piece behind what was kept.
            std::size_t const all = kept + text.size();
            std::size_t const left = std::min(all, overlap);
            std::copy_n(seam.data() + (all - left), left, seam.data());
            kept = left;
        }
    }
    // All but the last byte of the delimiter: with that, every frame holds it.
    return crosses(what);
}

}  // namespace

step delimited::measure(bytes input, std::size_t seen) const noexcept {
    std::string_view const text = input.text().substr(0, maximum_);
    // A delimiter that was cut over two reads begins in what was seen.
    std::size_t const from = seen < size_ ? 0 : std::min(seen - size_ + 1, text.size());
    std::size_t const at = text.find(delimiter(), from);
    if (at != std::string_view::npos) return step::frame(at + size_, 0, at);
    return input.size() < maximum_ ? step::more() : step::bad(fault::too_long);
}

std::error_code delimited::head(edge&, bytes prefix, std::size_t) const noexcept {
    return prefix.empty() ? std::error_code() : not_sendable();
}

std::error_code delimited::tail(edge& into, bytes, std::span<bytes const> payload) const noexcept {
    if (holds(payload, delimiter())) return not_sendable();
    into.append(delimiter());
    return {};
}

step lines::measure(bytes input, std::size_t seen) const noexcept {
    std::string_view const text = input.text().substr(0, maximum_);
    std::size_t const at = text.find('\n', std::min(seen, text.size()));
    if (at == std::string_view::npos)
        return input.size() < maximum_ ? step::more() : step::bad(fault::too_long);
    bool const has_cr = at != 0 && text[at - 1] == '\r';
    return step::frame(at + 1, 0, has_cr ? at - 1 : at);
}

std::error_code lines::head(edge&, bytes prefix, std::size_t) const noexcept {
    return prefix.empty() ? std::error_code() : not_sendable();
}

std::error_code lines::tail(edge& into, bytes, std::span<bytes const> payload) const noexcept {
    char last = '\0';
    for (bytes const piece : payload) {
        std::string_view const text = piece.text();
        if (text.find('\n') != std::string_view::npos) return not_sendable();
        if (!text.empty()) last = text.back();
    }
    if (written_ == line_end::lf && last == '\r') return not_sendable();
    into.append(written_ == line_end::crlf ? "\r\n" : "\n");
    return {};
}

}  // namespace rill::framing
