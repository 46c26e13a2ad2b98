// What a line of awaits waits for, and where.
#include "rill/coro/describe.hpp"

#include <fmt/format.h>

#include <string_view>

#include "rill/coro/operation.hpp"

namespace rill {

namespace {

// Promises come before frames in memory only by the compiler's choice, so the walk goes by the
// pointers that every await has set.
void append_frames(std::string& text, chain const& line) {
    for (auto const* frame = line.innermost(); frame != nullptr; frame = frame->parent_) {
        fmt::format_to(std::back_inserter(text), "    at {}:{} in {}\n", frame->where_.file_name(),
                       frame->where_.line(), frame->where_.function_name());
    }
}

}  // namespace

std::string describe(chain const& line) {
    std::string text;
    for (chain const* each = &line; each != nullptr; each = each->parent()) {
        auto const* const operation = each->waiting_for();
        std::string_view const waits = operation != nullptr ? operation->name() : "running";
        fmt::format_to(std::back_inserter(text), "  {}{}\n", waits,
                       each->cancelled() ? " (cancelled)" : "");
        append_frames(text, *each);
    }
    return text;
}

}  // namespace rill
