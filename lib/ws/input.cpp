// What comes: frames become messages, and what is wrong with them a close code. No waiting here.
// RFC 6455 sections 5, 7.4 and 8.1.
#include <algorithm>

#include "ws/connection.hpp"

namespace rill::ws::detail {

using codec::ws_opcode;

connection::progress connection::fail(unsigned code, std::string_view why) noexcept {
    code_ = static_cast<std::uint16_t>(code);
    reason_ = why;
    return progress::failed;
}

void connection::forget_message() noexcept {
    given_ = false;
    whole_ = {};
    utf8_ = {};
    gathered_.clear();
    constexpr std::size_t kept = 4096;  // small fragmented messages need no new memory
    gathered_.shrink(kept);
}

connection::progress connection::advance() {
    for (;;) {
        if (!in_frame_ && !read_head()) return code_ != 0 ? progress::failed : progress::hungry;
        std::uint64_t const left = frame_.payload_bytes - taken_;
        auto const size = static_cast<std::size_t>(std::min<std::uint64_t>(left, input_.size()));
        mutable_bytes const piece = input_.writable().first(size);
        if (frame_.masked) codec::apply_mask(piece, frame_.mask, taken_ % 4);
        input_.consume(size);
        taken_ += size;
        bool const whole_frame = size == left;
        if (whole_frame) in_frame_ = false;
        progress const found = is_control(frame_.opcode)
                                   ? take_control({piece.data(), size}, whole_frame)
                                   : take_data(piece, whole_frame);
        if (found != progress::hungry) return found;
        if (!whole_frame) return progress::hungry;
    }
}

// False when there is no whole head; `code_` is set where there never will be.
bool connection::read_head() noexcept {
    std::size_t const before = head_size_;
    bytes window = input_.view();
    if (before != 0) {
        mutable_bytes const room(head_.data() + before, head_.size() - before);
        window = {head_.data(), before + copy_bytes(room, input_.view())};
    }
    codec::ws_head_step const step = order_.read(window);
    if (step.fault != codec::ws_fault::none) {
        static_cast<void>(fail(1002, text_of(step.fault)));
        return false;
    }
    if (step.size == 0) {
        if (before == 0) copy_bytes(head_, window);
        head_size_ = static_cast<std::uint8_t>(window.size());
        input_.consume(input_.size());
        return false;
    }
    input_.consume(step.size - before);
    head_size_ = 0;
    return begin_frame(step.head);
}

// Sizes are refused when they are announced, before their bytes are kept.
bool connection::begin_frame(codec::ws_head const& head) noexcept {
    frame_ = head;
    taken_ = 0;
    in_frame_ = true;
    control_size_ = is_control(head.opcode) ? 0 : control_size_;
    if (is_control(head.opcode)) return true;
    if (head.opcode != ws_opcode::continuation) opcode_ = head.opcode;
    std::size_t const most_frame =
        options_.frame_bytes == 0 ? options_.message_bytes : options_.frame_bytes;
    if (head.payload_bytes > most_frame) {
        static_cast<void>(fail(1009, "frame too large"));
        return false;
    }
    if (head.payload_bytes > options_.message_bytes - gathered_.size()) {
        static_cast<void>(fail(1009, "message too large"));
        return false;
    }
    return true;
}

connection::progress connection::take_data(mutable_bytes piece, bool whole_frame) {
    bytes const content(piece.data(), piece.size());
    bool const is_text = opcode_ == ws_opcode::text;
    bool const complete = whole_frame && frame_.last;
    if (is_text && (!utf8_.add(content) || (complete && !utf8_.whole()))) {
        return fail(1007, "text is not UTF-8");
    }
    if (complete && gathered_.empty()) {
        whole_ = content;
        return progress::message;
    }
    bool const fits = gathered_.append(content);
    RILL_ASSERT(fits, "the size of a frame is checked when it begins");
    if (!complete) return progress::hungry;
    whole_ = gathered_.view();
    return progress::message;
}

connection::progress connection::take_control(bytes piece, bool whole_frame) {
    copy_bytes({control_.data() + control_size_, control_.size() - control_size_}, piece);
    control_size_ = static_cast<std::uint8_t>(control_size_ + piece.size());
    if (!whole_frame) return progress::hungry;
    if (frame_.opcode == ws_opcode::close) return take_close({control_.data(), control_size_});
    return frame_.opcode == ws_opcode::ping ? progress::ping : progress::hungry;
}

connection::progress connection::take_close(bytes payload) {
    codec::ws_close const said = codec::read_ws_close(payload);
    if (said.fails_with == 1002) return fail(1002, text_of(codec::ws_fault::bad_close));
    if (said.fails_with != 0) return fail(said.fails_with, "close reason is not UTF-8");
    code_ = said.code;
    reason_ = said.reason;
    return progress::closed;
}

}  // namespace rill::ws::detail
