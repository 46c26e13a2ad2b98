// A byte stream line by line.
#include "rill/io/lines.hpp"

#include "rill/base/error.hpp"

namespace rill {

/// The next whole line of what is there. Throws where there is or will be none within the bound.
bool lines::take_line(std::string_view& line) {
    std::string_view const all = unread_.view().text();
    std::size_t const end = all.find('\n', searched_);
    searched_ = all.size();
    line = all.substr(0, end);
    // The last byte may be the first of a CR LF that is not whole yet.
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > with_.most_bytes) {
        searched_ = 0;
        throw error(errc::limit_exceeded, "read a line", {}, "raise line_options::most_bytes");
    }
    if (end == std::string_view::npos) return false;
    given_ = end + 1;
    return true;
}

task<std::optional<std::string_view>> lines::next(time_point deadline) {
    unread_.consume(std::exchange(given_, 0));
    searched_ = 0;
    std::string_view line;
    while (!take_line(line)) {
        if (ended_) {
            line = unread_.view().text();
            given_ = line.size();
            if (line.empty()) co_return std::nullopt;
            break;
        }
        lease const part = co_await from_->receive(deadline);
        ended_ = !part;
        bool const kept = unread_.append(part.view());
        RILL_ASSERT(kept, "this buffer has no bound of its own");
    }
    co_return line;
}

}  // namespace rill
