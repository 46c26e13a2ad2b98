// Chooses the driver of a core.
#include "make_driver.hpp"

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "epoll_driver.hpp"
#include "rill/base/error.hpp"
#include "rill/base/log.hpp"
#include "simulated_here.hpp"
#include "uring_driver.hpp"
#include "uring_setup.hpp"

namespace rill {

namespace {

std::unique_ptr<driver> make_uring(core_options const& options) {
    uring_options ring;
    ring.entries = options.ring_entries;
    ring.receive_buffers = options.receive_buffers;
    ring.receive_copies = options.receive_copies;
    return make_uring_driver(ring);
}

std::unique_ptr<driver> make_epoll(core_options const& options) {
    return make_epoll_driver(
        {.receive_buffers = options.receive_buffers, .receive_copies = options.receive_copies});
}

driver_kind kind_of_environment() {
    char const* const variable = std::getenv("RILL_DRIVER");
    if (variable == nullptr) return driver_kind::automatic;
    std::string_view const text = variable;
    if (text == "uring") return driver_kind::uring;
    if (text == "epoll") return driver_kind::epoll;
    throw error(std::make_error_code(std::errc::invalid_argument), "RILL_DRIVER", text,
                "it is uring or epoll, or not set at all");
}

/// True where epoll may do what io_uring was not allowed to. Out of descriptors is not that.
bool is_refusal(std::error_code why) noexcept {
    if (why.category() != std::system_category()) return false;
    switch (why.value()) {
        case EPERM:
        case EACCES:
        case ENOSYS:
        case EINVAL:
        case EOPNOTSUPP:
        case ENOMEM:
            return true;
        default:
            return false;
    }
}

/// The driver that this system allows. The first core of the process finds it out for all, because
/// descriptors may go from core to core, and so that the log says it once.
std::unique_ptr<driver> make_allowed(core_options const& options) {
    static std::mutex mutex;
    static driver_kind found = driver_kind::automatic;
    std::unique_lock lock(mutex);
    if (found == driver_kind::automatic) {
        try {
            auto made = make_uring(options);
            found = driver_kind::uring;
            return made;
        } catch (error const& refusal) {
            if (!is_refusal(refusal.code())) throw;
            found = driver_kind::epoll;
            log::warn("io_uring is refused: running on epoll",
                      {{"call", refusal.operation()},
                       {"cause", refusal.code()},
                       {"remedy", setup_advice(refusal.code().value())}});
        }
    }
    lock.unlock();
    return found == driver_kind::epoll ? make_epoll(options) : make_uring(options);
}

}  // namespace

std::unique_ptr<driver> make_driver(core_options const& options) {
    if (auto const* const here = simulated_here::of_thread()) return here->make_driver(here->world);
    driver_kind const asked =
        options.driver == driver_kind::automatic ? kind_of_environment() : options.driver;
    switch (asked) {
        case driver_kind::uring:
            return make_uring(options);
        case driver_kind::epoll:
            return make_epoll(options);
        case driver_kind::automatic:
            break;
    }
    return make_allowed(options);
}

}  // namespace rill
