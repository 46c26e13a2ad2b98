// The end of a connection to a peer that says nothing.
#include "rill/io/heartbeat.hpp"

namespace rill::detail {

task<> watch_silence(heartbeat& pulse) {
    while (core::current().now() < pulse.give_up_at()) co_await sleep_until(pulse.give_up_at());
    throw error(errc::timed_out, "wait for a sign of life");
}

}  // namespace rill::detail
