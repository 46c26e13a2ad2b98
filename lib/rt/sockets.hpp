// The socket calls that drivers over a real kernel share.
#pragma once

#include <sys/socket.h>

#include <cstddef>

#include "driver.hpp"
#include "rill/base/address.hpp"

namespace rill::sockets {

/// An address in the kernel's form.
struct name {
    sockaddr_storage storage{};
    socklen_t size = 0;

    name() noexcept = default;
    explicit name(address const& from) noexcept;
    [[nodiscard]] sockaddr* data() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
    [[nodiscard]] address value() const;
};

/// The kernel's number of a family.
[[nodiscard]] int family_of(address::family kind) noexcept;
[[nodiscard]] result<int> listen(address const& at, listen_settings const& with);
[[nodiscard]] std::optional<int> accept_ready(int listener) noexcept;
[[nodiscard]] result<int> open_stream(address::family kind);
void configure(int descriptor, stream_settings const& with) noexcept;
void shut_down(int descriptor, shutdown_side side) noexcept;
void reset_on_close(int descriptor) noexcept;
[[nodiscard]] bool broken(int descriptor) noexcept;
[[nodiscard]] address local(int descriptor);
[[nodiscard]] address remote(int descriptor);

}  // namespace rill::sockets
