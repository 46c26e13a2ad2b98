// Fuzzes the frames of WebSocket: what a head is, or what is wrong with it, is so as soon as it is
// known; a head that is read is written as the same bytes; and close frames stay within theirs.
// The first byte chooses the sender and whether there is compression.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/utf8.hpp"
#include "rill/base/assert.hpp"
#include "rill/codec/ws_frame.hpp"

namespace {

using namespace rill::codec;

void check_close(rill::bytes payload) {
    ws_close const said = read_ws_close(payload);
    if (said.fails_with != 0) return;
    RILL_ASSERT(ws_close_text(said.code, said.reason).view() == payload,
                "close is read as written");
}

void check_text(std::string_view text) {
    utf8_check whole;
    bool const good = whole.add(text);
    utf8_check pieces;
    std::size_t at = 0;
    while (at != text.size() && pieces.add(text.substr(at, 1))) ++at;
    RILL_ASSERT(good == (at == text.size()), "UTF-8 is judged alike in pieces");
    RILL_ASSERT(!good || whole.whole() == pieces.whole(), "and ends alike");
}

// Reads one frame; false where there is no whole one.
bool take_frame(ws_frame_order& order, std::string_view& input) {
    ws_frame_order const before = order;
    ws_head_step const found = order.read(input);
    for (std::size_t part = 0; part < std::min<std::size_t>(input.size(), 16); ++part) {
        ws_frame_order again = before;
        ws_head_step const early = again.read(input.substr(0, part));
        RILL_ASSERT(early.fault == ws_fault::none || early.fault == found.fault, "faults stay");
        RILL_ASSERT(early.size == 0 || early.head == found.head, "heads stay");
    }
    if (found.size == 0) return false;
    RILL_ASSERT(found.fault == ws_fault::none, "a head has no fault");
    RILL_ASSERT(found.size <= input.size(), "a head lies in its input");
    RILL_ASSERT(ws_head_text(found.head).view().text() == input.substr(0, found.size),
                "there is one way to write a head");
    input.remove_prefix(found.size);
    std::size_t const size = std::min<std::uint64_t>(found.head.payload_bytes, input.size());
    std::string payload(input.substr(0, size));
    apply_mask(payload, found.head.mask);
    if (found.head.opcode == ws_opcode::close) check_close(payload);
    if (found.head.opcode == ws_opcode::text) check_text(payload);
    std::size_t const cut = size / 3;
    rill::mutable_bytes const all(payload);
    apply_mask(all.first(cut), found.head.mask);
    apply_mask(all.without_first(cut), found.head.mask, cut);
    RILL_ASSERT(payload == input.substr(0, size), "masking twice gives the same");
    input.remove_prefix(size);
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view input(reinterpret_cast<char const*>(data), size);
    if (input.empty()) return 0;
    auto const choice = static_cast<unsigned char>(input[0]);
    input.remove_prefix(1);
    ws_frame_order order((choice & 1U) != 0 ? ws_sender::client : ws_sender::server,
                         (choice & 2U) != 0);
    while (!input.empty() && take_frame(order, input)) {
    }
    return 0;
}
