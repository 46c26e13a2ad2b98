// Heads of WebSocket frames, masking and close frames. RFC 6455 sections 5 and 7.4.
#include "rill/codec/ws_frame.hpp"

#include <cstring>

#include "codec/utf8.hpp"
#include "rill/base/assert.hpp"

namespace rill::codec {

namespace {

constexpr unsigned fin_bit = 0x80;
constexpr unsigned rsv1_bit = 0x40;
constexpr unsigned other_reserved_bits = 0x30;
constexpr unsigned mask_bit = 0x80;
constexpr unsigned most_short = 125;  // what a control frame may have, too
constexpr unsigned length_in_2 = 126;
constexpr unsigned length_in_8 = 127;

std::uint64_t big_endian(bytes from, std::size_t at, std::size_t width) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i != width; ++i) {
        value = value << 8 | std::to_integer<std::uint64_t>(from[at + i]);
    }
    return value;
}

constexpr bool is_opcode(unsigned opcode) noexcept {
    return opcode <= 2 || (opcode >= 8 && opcode <= 10);
}

// As many bytes as a vector register of any x86-64 has; both compilers take others apart.
using block = std::uint64_t __attribute__((vector_size(16)));

void mask_block(std::byte* at, block key) noexcept {
    block data;
    std::memcpy(&data, at, sizeof data);
    data ^= key;
    std::memcpy(at, &data, sizeof data);
}

}  // namespace

std::string_view text_of(ws_fault why) noexcept {
    switch (why) {
        case ws_fault::none:
            return "";
        case ws_fault::reserved_bit:
            return "reserved bit set";
        case ws_fault::unknown_opcode:
            return "unknown opcode";
        case ws_fault::split_control:
            return "control frame in fragments";
        case ws_fault::long_control:
            return "control frame above 125 bytes";
        case ws_fault::padded_length:
            return "length in too many bytes";
        case ws_fault::huge_length:
            return "length of 2^63 or more";
        case ws_fault::not_masked:
            return "frame without a mask";
        case ws_fault::masked:
            return "frame with a mask";
        case ws_fault::no_message:
            return "continuation without a message";
        case ws_fault::message_is_open:
            return "new message inside a message";
        case ws_fault::bad_close:
            return "malformed close frame";
    }
    return "";
}

ws_fault ws_frame_order::check_first(unsigned first) const noexcept {
    if ((first & other_reserved_bits) != 0) return ws_fault::reserved_bit;
    if (!is_opcode(first & 15U)) return ws_fault::unknown_opcode;
    auto const opcode = static_cast<ws_opcode>(first & 15U);
    bool const begins = opcode == ws_opcode::text || opcode == ws_opcode::binary;
    // The bit belongs to the message, so its first frame alone has it. RFC 7692 section 6.
    if ((first & rsv1_bit) != 0 && !(compression_ && begins)) return ws_fault::reserved_bit;
    if (is_control(opcode)) {
        return (first & fin_bit) != 0 ? ws_fault::none : ws_fault::split_control;
    }
    if (begins) return open_ ? ws_fault::message_is_open : ws_fault::none;
    return open_ ? ws_fault::none : ws_fault::no_message;
}

ws_fault ws_frame_order::check_second(ws_opcode opcode, unsigned second) const noexcept {
    bool const masked = (second & mask_bit) != 0;
    if (masked != (from_ == ws_sender::client)) {
        return masked ? ws_fault::masked : ws_fault::not_masked;
    }
    bool const is_long = (second & ~mask_bit) > most_short;
    return is_control(opcode) && is_long ? ws_fault::long_control : ws_fault::none;
}

ws_head_step ws_frame_order::read(bytes input) noexcept {
    ws_head_step step;
    ws_head head;
    if (input.empty()) return step;
    auto const first = std::to_integer<unsigned>(input[0]);
    step.fault = check_first(first);
    if (step.fault != ws_fault::none || input.size() < 2) return step;
    head.opcode = static_cast<ws_opcode>(first & 15U);
    head.last = (first & fin_bit) != 0;
    head.rsv1 = (first & rsv1_bit) != 0;
    auto const second = std::to_integer<unsigned>(input[1]);
    step.fault = check_second(head.opcode, second);
    if (step.fault != ws_fault::none) return step;
    head.masked = (second & mask_bit) != 0;

    unsigned const stated = second & ~mask_bit;
    std::size_t const width = stated == length_in_8 ? 8 : stated == length_in_2 ? 2 : 0;
    // The top byte alone shows a length beyond all bounds.
    if (width == 8 && input.size() > 2 && (input[2] & std::byte{0x80}) != std::byte{}) {
        step.fault = ws_fault::huge_length;
        return step;
    }
    if (input.size() < 2 + width) return step;
    head.payload_bytes = width == 0 ? stated : big_endian(input, 2, width);
    if ((width == 2 && head.payload_bytes <= most_short) ||
        (width == 8 && head.payload_bytes <= 0xffff)) {
        step.fault = ws_fault::padded_length;
        return step;
    }
    std::size_t const size = 2 + width + (head.masked ? head.mask.size() : 0);
    if (input.size() < size) return step;
    if (head.masked) copy_bytes(head.mask, input.without_first(2 + width));
    if (!is_control(head.opcode)) open_ = !head.last;
    step.size = size;
    step.head = head;
    return step;
}

ws_head_text::ws_head_text(ws_head const& head) noexcept {
    auto const put = [this](std::uint64_t value) {
        bytes_[size_++] = static_cast<std::byte>(value & 0xff);
    };
    put((head.last ? fin_bit : 0U) | (head.rsv1 ? rsv1_bit : 0U) |
        static_cast<unsigned>(head.opcode));
    std::uint64_t const length = head.payload_bytes;
    unsigned const width = length <= most_short ? 0 : length <= 0xffff ? 2 : 8;
    unsigned const stated =
        width == 0 ? static_cast<unsigned>(length) : (width == 2 ? length_in_2 : length_in_8);
    put((head.masked ? mask_bit : 0U) | stated);
    for (unsigned i = width; i-- != 0;) put(length >> (8 * i));
    if (!head.masked) return;
    for (std::byte const each : head.mask) bytes_[size_++] = each;
}

void apply_mask(mutable_bytes data, ws_mask const& mask, std::size_t offset) noexcept {
    // The key as it meets the first byte, twice in a word, so that one word is masked at a time.
    std::array<std::byte, 8> turned{};
    for (std::size_t i = 0; i != turned.size(); ++i) turned[i] = mask[(offset + i) % 4];
    std::uint64_t word = 0;
    std::memcpy(&word, turned.data(), sizeof word);
    block const key = {word, word};

    std::byte* at = data.data();
    std::size_t left = data.size();
    for (; left >= 4 * sizeof(block); left -= 4 * sizeof(block), at += 4 * sizeof(block)) {
        mask_block(at, key);
        mask_block(at + sizeof(block), key);
        mask_block(at + 2 * sizeof(block), key);
        mask_block(at + 3 * sizeof(block), key);
    }
    for (; left >= sizeof(block); left -= sizeof(block), at += sizeof(block)) mask_block(at, key);
    for (std::size_t i = 0; i != left; ++i) at[i] ^= turned[i % 4];
}

ws_close read_ws_close(bytes payload) noexcept {
    ws_close said;
    if (payload.empty()) return said;
    said.code = payload.size() == 1 ? 0 : static_cast<std::uint16_t>(big_endian(payload, 0, 2));
    if (!is_close_code(said.code)) {
        said.fails_with = 1002;
        return said;
    }
    said.reason = payload.without_first(2).text();
    utf8_check check;
    if (!check.add(said.reason) || !check.whole()) said.fails_with = 1007;
    return said;
}

ws_close_text::ws_close_text(std::uint16_t code, std::string_view reason) noexcept {
    if (code == 1005) return;
    RILL_ASSERT(is_close_code(code), "a close frame says one of the codes that may be sent");
    bytes_[0] = static_cast<std::byte>(code >> 8);
    bytes_[1] = static_cast<std::byte>(code & 0xff);
    std::size_t taken = 0;
    while (taken != reason.size()) {
        std::size_t const size = utf8_sequence_size(reason.substr(taken));
        if (size == 0 || size > most_reason_bytes - taken) break;
        taken += size;
    }
    copy_bytes({bytes_.data() + 2, most_reason_bytes}, reason.substr(0, taken));
    size_ = static_cast<std::uint8_t>(2 + taken);
}

}  // namespace rill::codec
