// getaddrinfo on the blocking pool.
#include "names.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "driver.hpp"
#include "rill/rt/blocking.hpp"
#include "rill/rt/core.hpp"

namespace rill {

namespace {

std::error_code code_of(int failure, int errno_value) noexcept {
    switch (failure) {
        case EAI_NONAME:
        case EAI_NODATA:
        case EAI_ADDRFAMILY:
            return errc::no_such_name;
        case EAI_SYSTEM:
            return errno_value != 0 ? system_error(errno_value)
                                    : make_error_code(errc::names_failed);
        case EAI_MEMORY:
            return system_error(ENOMEM);
        default:
            return errc::names_failed;
    }
}

address from(addrinfo const& one) noexcept {
    if (one.ai_family == AF_INET) {
        sockaddr_in in{};
        std::memcpy(&in, one.ai_addr, sizeof in);
        std::array<std::uint8_t, 4> ip{};
        std::memcpy(ip.data(), &in.sin_addr, ip.size());
        return address::v4(ip, 0);
    }
    if (one.ai_family == AF_INET6) {
        sockaddr_in6 in{};
        std::memcpy(&in, one.ai_addr, sizeof in);
        std::array<std::uint8_t, 16> ip{};
        std::memcpy(ip.data(), &in.sin6_addr, ip.size());
        return address::v6(ip, 0, in.sin6_scope_id);
    }
    return {};
}

struct list_deleter {
    void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};

/// Blocks. The system sorts the addresses (RFC 6724).
result<std::vector<address>> ask_system(std::string const& host) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;  // else each address comes once for each type
    addrinfo* list = nullptr;
    errno = 0;
    int const failure = ::getaddrinfo(host.c_str(), nullptr, &hints, &list);
    if (failure != 0) return code_of(failure, errno);
    std::unique_ptr<addrinfo, list_deleter> const owner(list);
    std::vector<address> found;
    for (addrinfo const* each = list; each != nullptr; each = each->ai_next) {
        address const one = from(*each);
        if (one.kind() == address::family::none) continue;
        if (std::find(found.begin(), found.end(), one) == found.end()) found.push_back(one);
    }
    if (found.empty()) return errc::no_such_name;
    return found;
}

}  // namespace

namespace detail {

/// A question on its way through the pool. Outlives the query where that is forgotten.
class name_job final : public blocking_job {
public:
    explicit name_job(name_query& of)
        : link_(std::make_shared<name_link>(name_link{&of})), host_(of.host()) {}

    /// True when the pool has taken it; else it is answered here.
    void begin() noexcept {
        link_->query->link_ = link_;
        core& home = core::current();
        if (int const code = submit(home); code != 0) {
            found_ = system_error(code);
            home.post(*this);
        }
    }

private:
    void execute() noexcept override {
        try {
            found_ = ask_system(host_);
        } catch (...) {
            found_ = system_error(ENOMEM);
        }
    }
    void run() noexcept override {
        if (name_query* const asker = link_->query) {
            asker->link_ = nullptr;
            asker->answered(std::move(found_));
        }
        delete this;
    }

    std::shared_ptr<name_link> link_;
    std::string host_;
    result<std::vector<address>> found_ = errc::names_failed;
};

}  // namespace detail

void driver::look_up(name_query& what) noexcept {
    (new detail::name_job(what))->begin();
}

void driver::forget(name_query& what) noexcept {
    if (auto const link = std::exchange(what.link_, nullptr)) link->query = nullptr;
}

}  // namespace rill
