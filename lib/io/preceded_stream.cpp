// A stream with bytes before it.
#include "io/preceded_stream.hpp"

#include "rill/base/error.hpp"

namespace rill {

std::optional<result<lease>> preceded_stream::begin_receive(input_waiter& who) noexcept {
    if (closed_ || taken_ == first_.size()) return rest_.begin_receive(who);
    mutable_bytes const all = first_.mutable_view();
    mutable_bytes const left(all.data() + taken_, all.size() - taken_);
    taken_ = all.size();
    return lease(*this, 0, left);
}

void preceded_stream::put_back(lease input) noexcept {
    std::byte const* const begin = first_.mutable_view().data();
    bool const own = !first_.empty() && input.view().data() >= begin &&
                     input.view().data() < begin + first_.size();
    if (!own) return rest_.put_back(std::move(input));
    taken_ = static_cast<std::size_t>(input.detach().data() - begin);
}

void preceded_stream::give_back(std::uint32_t) noexcept {
    if (taken_ != first_.size()) return;
    first_.release();
    taken_ = 0;
}

}  // namespace rill
