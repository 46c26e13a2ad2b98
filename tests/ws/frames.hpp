// Frames as a peer sends them, right and wrong, for tests of WebSocket.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rill/codec/ws_frame.hpp"

namespace rill::test {

inline constexpr codec::ws_mask any_mask = {std::byte{0x37}, std::byte{0xfa}, std::byte{0x21},
                                            std::byte{0x3d}};

/// A frame of a client (masked), or of a server.
inline std::string ws_frame(codec::ws_opcode opcode, std::string_view payload, bool last = true,
                            bool masked = true) {
    codec::ws_head head{.opcode = opcode, .last = last, .masked = masked};
    if (masked) head.mask = any_mask;
    head.payload_bytes = payload.size();
    std::string text(codec::ws_head_text(head).view().text());
    std::string content(payload);
    if (masked) codec::apply_mask(content, any_mask);
    return text + content;
}
inline std::string ws_text(std::string_view payload) {
    return ws_frame(codec::ws_opcode::text, payload);
}
inline std::string ws_close_frame(unsigned code, std::string_view reason = {}, bool masked = true) {
    std::string payload{static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
    return ws_frame(codec::ws_opcode::close, payload.append(reason), true, masked);
}

/// A frame that was received, without its mask.
struct seen_frame {
    codec::ws_head head;
    std::string payload;
};

/// All whole frames of `text`, which has nothing else.
inline std::vector<seen_frame> ws_frames_of(std::string_view text, codec::ws_sender from) {
    std::vector<seen_frame> all;
    codec::ws_frame_order order(from);
    while (!text.empty()) {
        auto const step = order.read(text);
        if (step.size == 0 || text.size() - step.size < step.head.payload_bytes) {
            all.push_back({{}, "broken: " + std::string(text_of(step.fault))});
            break;
        }
        std::string payload(text.substr(step.size, step.head.payload_bytes));
        if (step.head.masked) codec::apply_mask(payload, step.head.mask);
        text.remove_prefix(step.size + payload.size());
        all.push_back({step.head, std::move(payload)});
    }
    return all;
}

}  // namespace rill::test
