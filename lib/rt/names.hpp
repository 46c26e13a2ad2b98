// Questions for the addresses of a host, and who answers them where the driver has no names of its
// own: getaddrinfo(3) on the blocking pool.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rill/base/address.hpp"
#include "rill/base/result.hpp"

namespace rill {

class name_query;

namespace detail {

class name_job;

/// Between a question and its job, whichever ends first: a core that is no more takes no answer,
/// and the thread that asks drops its job then, at any moment.
struct name_link {
    name_query* query;  ///< The core's own; null once nobody wants the answer.
};

}  // namespace detail

/// A question for the addresses of a host. Stays where it is until it is answered or forgotten.
///
/// Core: the core whose driver was asked.
class name_query {
public:
    explicit name_query(std::string host) noexcept : host_(std::move(host)) {}
    name_query(name_query const&) = delete;
    name_query& operator=(name_query const&) = delete;

    /// The host, without a port.
    [[nodiscard]] std::string const& host() const noexcept { return host_; }

    /// The addresses with port 0, best first (RFC 6724); never an empty list. Errors: no_such_name,
    /// names_failed, or what the system says.
    virtual void answered(result<std::vector<address>> found) noexcept = 0;

protected:
    ~name_query() = default;

private:
    friend class detail::name_job;
    friend class driver;
    std::shared_ptr<detail::name_link> link_;  // while a thread of the pool asks
    std::string host_;
};

}  // namespace rill
