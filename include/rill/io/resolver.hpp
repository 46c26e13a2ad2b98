// resolver: the addresses of a host name, from a bounded cache or from the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rill/base/address.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/operation.hpp"
#include "rill/coro/wait_list.hpp"
#include "rill/rt/timer_wheel.hpp"

namespace rill {

class resolver;

/// What a resolver may keep and do.
struct resolver_options {
    /// Names that the cache holds; 256. The one that was answered first goes first. 0: no cache.
    std::size_t cache_names = 256;
    /// How long addresses are kept; 30 s. The system does not tell the lifetime of its answers
    /// (getaddrinfo(3)), so keep it short. Zero: not at all.
    duration keep = 30s;
    /// How long it is remembered that a name does not exist; 5 s. Zero: not at all. That the name
    /// servers gave no answer is never remembered.
    duration keep_missing = 5s;
    /// Questions that may be with the system at once; 16. Further ones wait in line. At least 1.
    /// One that was given up by all counts until the system lets go of it.
    std::uint32_t most_questions = 16;
};
static_assert(std::is_trivially_destructible_v<resolver_options>);

namespace detail {

class resolver_state;
class resolver_entry;

}  // namespace detail

/// The wait of `resolver::look_up`.
class [[nodiscard]] RILL_API look_up_operation final : public value_operation<std::vector<address>>,
                                                       public detail::wait_node {
public:
    /// A wait for the addresses of `host`.
    look_up_operation(resolver& with, std::string_view host, std::uint16_t port,
                      time_point deadline);
    ~look_up_operation();
    /// "look up".
    [[nodiscard]] char const* name() const noexcept override { return "look up"; }

private:
    friend class detail::resolver_state;
    friend class detail::resolver_entry;
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    [[noreturn]] void throw_error(std::error_code code) const override;
    void give(result<std::vector<address>> const& found) noexcept;
    void arrived(result<std::vector<address>> const& found) noexcept;
    void give_up(std::error_code why) noexcept;

    detail::resolver_state& with_;
    std::string host_;
    detail::resolver_entry* entry_ = nullptr;  // while it waits
    time_point deadline_;
    std::uint16_t port_;
    struct timer final : timer_node {
        explicit timer(look_up_operation& of) noexcept
            : timer_node([](timer_node& node) noexcept {
                  static_cast<timer&>(node).owner.give_up(errc::timed_out);
              }),
              owner(of) {}
        look_up_operation& owner;
    } timer_;
};

/// Looks up names and remembers the answers for a while.
///
/// It asks getaddrinfo(3), on a thread of `blocking`, so /etc/hosts, nsswitch.conf and
/// resolv.conf count. Any number of waits for one name share one question. Addresses as text and
/// `localhost` (RFC 6761 section 6.3) are answered without asking.
///
/// Each core has one (`resolver::of_core`). It is not shared by the cores: so it takes no lock, an
/// answer wakes no other core, and a simulation stays the same each time; the price is that N cores
/// may ask for a name N times in `keep`.
///
/// Core  the core that made it. No wait may be left when it is destroyed.
class RILL_API resolver {
public:
    /// An empty cache.
    explicit resolver(resolver_options with = {});
    resolver(resolver const&) = delete;
    resolver& operator=(resolver const&) = delete;
    ~resolver();

    /// The resolver of this core, which `tcp::connect` uses. Lives as long as the core.
    [[nodiscard]] static resolver& of_core();

    /// Waits for the addresses of `host` (no port, no brackets) and gives them with `port`.
    ///
    /// Returns  at least one address, the best first (RFC 6724).
    /// Errors   `no_such_name`; `names_failed` where no name server answered; `timed_out` after
    ///          `deadline`; `bad_address` where `host` can be no name: empty, longer than 253
    ///          bytes, with bytes that no host name has (write international names in their ASCII
    ///          form, xn--...), or a number such as 0x7f.1 that getaddrinfo would take for an
    ///          address.
    /// Cancel   ends at once; the question goes on, and its answer is kept.
    /// Cost     one allocation for the list; nothing else where the cache knows.
    [[nodiscard]] look_up_operation look_up(std::string_view host, std::uint16_t port,
                                            time_point deadline = never) {
        return look_up_operation(*this, host, port, deadline);
    }

    /// Forgets all answers. Who waits goes on waiting.
    void forget() noexcept;
    /// Other options from now on. What is kept already stays no longer than it was to.
    void configure(resolver_options const& with) noexcept;

    /// What it holds at this moment.
    struct totals {
        std::size_t names = 0;       ///< Answers in the cache, expired ones included.
        std::size_t questions = 0;   ///< Questions that are with the system.
        std::size_t waiting = 0;     ///< Questions in line behind them.
        std::uint64_t asked = 0;     ///< Questions put to the system so far.
        std::uint64_t answered = 0;  ///< Look-ups that the cache answered so far.
    };
    /// The present numbers.
    [[nodiscard]] totals now() const noexcept;

private:
    friend class look_up_operation;
    std::unique_ptr<detail::resolver_state> state_;
};

/// Waits for the addresses of `host` with `port`, from the resolver of this core; see
/// `resolver::look_up`.
[[nodiscard]] inline look_up_operation look_up(std::string_view host, std::uint16_t port,
                                               time_point deadline = never) {
    return resolver::of_core().look_up(host, port, deadline);
}

}  // namespace rill
