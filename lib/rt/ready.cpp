// Waits for a descriptor that another library owns.
#include "rill/rt/ready.hpp"

#include <cerrno>

#include "driver.hpp"
#include "rill/rt/core.hpp"

namespace rill {

char const* ready_operation::name() const noexcept {
    return what() == verb::readable ? "readable" : "writable";
}

bool ready_operation::start() noexcept {
    core::of(*waiting_chain()).io().start(*this);
    return true;
}

void ready_operation::cancel(cancel_reason) noexcept {
    core::of(*waiting_chain()).io().cancel(*this);
}

void ready_operation::completed(int value, std::uint32_t, bool) noexcept {
    if (value >= 0) {
        set_result({});
    } else if (value == -ECANCELED) {
        set_result(errc::cancelled);
    } else {
        set_result(system_error(-value));
    }
    complete();
}

}  // namespace rill
