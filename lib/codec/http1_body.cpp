// Bodies by length and until the end of the stream; chunked ones are handed on.
#include "rill/codec/http1_body.hpp"

#include <algorithm>

namespace rill::http1 {

body_step body_decoder::next(bytes input) {
    if (framing_ == body_framing::by::chunks) {
        body_step const step = chunks_.next(input);
        ended_ = step.what == body_event::end;
        return step;
    }
    bool const counted = framing_ != body_framing::by::end_of_stream;
    ended_ = ended_ || (counted && remaining_ == 0);
    if (ended_) return {.what = body_event::end, .consumed = 0, .data = {}};
    if (input.empty()) return {.what = body_event::need_more, .consumed = 0, .data = {}};
    auto const size =
        counted ? static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size()))
                : input.size();
    if (counted) remaining_ -= size;
    return {.what = body_event::data, .consumed = size, .data = input.first(size)};
}

bool body_decoder::finish() noexcept {
    if (framing_ == body_framing::by::end_of_stream) ended_ = true;
    return ended_ || (framing_ != body_framing::by::chunks && remaining_ == 0);
}

}  // namespace rill::http1
