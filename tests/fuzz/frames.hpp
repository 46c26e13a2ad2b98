// What the fuzz targets of frame codecs share: reading a row of frames whole and in pieces, and
// writing them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rill/base/assert.hpp"
#include "rill/codec/frame_codec.hpp"

namespace rill::fuzz {

/// A row of frames, and how it ended.
struct row {
    std::vector<std::string> frames;  // as they came
    std::vector<std::string> payloads;
    std::vector<std::string> prefixes;
    framing::fault fault = framing::fault::none;
    bool operator==(row const&) const = default;
};

/// Reads all frames of `input`, of which the codec sees `piece` bytes more each time.
template <framing::decoder Codec>
row read_row(Codec const& codec, std::string_view input, std::size_t piece) {
    row all;
    std::size_t size = 0;
    std::size_t seen = 0;
    std::size_t wanted = 1;
    while (!input.empty()) {
        size = std::min(size < input.size() && wanted > size ? size + piece : size, input.size());
        if (size < wanted && size == input.size()) break;
        // A copy of the exact size, so that a sanitizer sees a read past the end.
        std::unique_ptr<char[]> const copy(new char[size]);
        input.copy(copy.get(), size);
        bytes const window(std::string_view(copy.get(), size));
        framing::step const found = codec.measure(window, seen);
        if (found.why() != framing::fault::none) {
            all.fault = found.why();
            break;
        }
        if (!found.whole()) {
            RILL_ASSERT(found.size() == 0 || found.size() > size, "it asks for more than it has");
            seen = size;
            wanted = std::max(found.size(), size + 1);
            if (wanted > codec.maximum_bytes()) {
                all.fault = framing::fault::too_long;
                break;
            }
            continue;
        }
        RILL_ASSERT(found.size() != 0, "a frame has bytes");
        RILL_ASSERT(found.size() <= size, "a frame lies in its input");
        RILL_ASSERT(found.payload_begin() + found.payload_size() <= found.size(), "so its payload");
        RILL_ASSERT(found.prefix_size() <= found.payload_begin(), "and its prefix");
        RILL_ASSERT(found.size() <= codec.maximum_bytes(), "the bound holds");
        all.frames.emplace_back(input.substr(0, found.size()));
        all.payloads.emplace_back(input.substr(found.payload_begin(), found.payload_size()));
        all.prefixes.emplace_back(input.substr(0, found.prefix_size()));
        input.remove_prefix(found.size());
        size -= found.size();
        seen = 0;
        wanted = 1;
    }
    return all;
}

/// Checks that pieces give the same as the whole, and that what was read can be written: to the
/// same bytes where the codec has one way to write a frame.
template <framing::codec Codec>
void check_row(Codec const& codec, std::string_view input, bool one_way) {
    row const whole = read_row(codec, input, input.size());
    RILL_ASSERT(read_row(codec, input, 1) == whole, "one-byte pieces give the same");
    RILL_ASSERT(read_row(codec, input, 3) == whole, "small pieces give the same");
    for (std::size_t i = 0; i != whole.frames.size(); ++i) {
        bytes const payload(whole.payloads[i]);
        framing::edge head;
        framing::edge tail;
        std::error_code refused = codec.head(head, whole.prefixes[i], payload.size());
        if (!refused) refused = append_tail(codec, tail, head.view(), {&payload, 1});
        if (!one_way && refused) continue;
        RILL_ASSERT(!refused, "what was read can be written");
        std::string const again =
            std::string(head.view().text()) + whole.payloads[i] + std::string(tail.view().text());
        if (one_way) RILL_ASSERT(again == whole.frames[i], "as the same bytes");
        row const back = read_row(codec, again, again.size());
        if (again.size() > codec.maximum_bytes()) continue;
        RILL_ASSERT(back.payloads.size() == 1, "and be read back");
        RILL_ASSERT(back.payloads[0] == whole.payloads[i], "with the same payload");
    }
}

/// The options that the first bytes of the input decide.
class knobs {
public:
    explicit knobs(std::string_view& input) : input_(input) {}
    std::size_t up_to(std::size_t most) {
        if (input_.empty()) return 0;
        auto const value = static_cast<unsigned char>(input_[0]);
        input_.remove_prefix(1);
        return value % (most + 1);
    }

private:
    std::string_view& input_;
};

}  // namespace rill::fuzz
