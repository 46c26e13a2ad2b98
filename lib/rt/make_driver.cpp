// Chooses the driver of a core.
#include "make_driver.hpp"

#include "uring_driver.hpp"

namespace rill {

std::unique_ptr<driver> make_driver(core_options const& options) {
    uring_options ring;
    ring.entries = options.ring_entries;
    ring.receive_buffers = options.receive_buffers;
    ring.receive_copies = options.receive_copies;
    return make_uring_driver(ring);
}

}  // namespace rill
