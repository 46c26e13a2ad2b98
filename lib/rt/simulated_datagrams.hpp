// Datagram sockets of a simulation: UDP as a program sees it (RFC 768). Nothing is promised: by the
// seed, datagrams are lost, doubled and overtaken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver.hpp"
#include "simulated_sink.hpp"

namespace rill {

class simulated_world;

class simulated_datagrams {
public:
    explicit simulated_datagrams(simulated_world& in) noexcept : world_(in) {}
    simulated_datagrams(simulated_datagrams const&) = delete;
    simulated_datagrams& operator=(simulated_datagrams const&) = delete;

    // Sockets, as the driver seam has them. Groups are joined on the one interface there is.
    [[nodiscard]] result<int> open(address::family kind, address const* at,
                                   datagram_settings const& with);
    [[nodiscard]] result<void> set_peer(int descriptor, address const& to);
    [[nodiscard]] result<void> join(int descriptor, address const& group, bool leave);
    [[nodiscard]] std::optional<send_failure> next_failure(int descriptor) noexcept;
    [[nodiscard]] std::uint64_t dropped(int descriptor) const noexcept;
    [[nodiscard]] address local(int descriptor) const;
    [[nodiscard]] address remote(int descriptor) const;
    void close(int descriptor) noexcept;

    [[nodiscard]] bool owns(int descriptor) const noexcept;
    void start(request& what, simulated_sink& by);
    void cancel(request& what);
    [[nodiscard]] std::size_t open_descriptors() const noexcept { return count_; }

private:
    struct arrival {
        address from;
        std::string payload;
    };
    /// Invariant: `unread` holds at most `most_unread` datagrams; what comes then is dropped.
    struct socket_entry {
        address local;
        address peer;
        datagram_settings settings;
        std::vector<address> groups;
        std::deque<arrival> unread;
        std::deque<send_failure> failures;
        std::uint64_t dropped = 0;
        int pending = 0;           // an error that the next call is told, once
        std::uint64_t number = 0;  // a descriptor may name another socket later
        simulated_wait receiving;
    };

    [[nodiscard]] socket_entry& entry(int descriptor);
    [[nodiscard]] socket_entry const& entry(int descriptor) const;
    [[nodiscard]] bool taken(address const& at, datagram_settings const& with) const;
    [[nodiscard]] int send(request const& what);
    void send_one(socket_entry const& from, address const& to, std::string payload);
    void arrive(std::uint64_t sender, address const& from, address const& to,
                std::string const& payload);
    [[nodiscard]] std::vector<socket_entry*> receivers(address const& from, address const& to);
    void progress(socket_entry& at);

    simulated_world& world_;
    std::vector<std::unique_ptr<socket_entry>> sockets_;  // by descriptor, from first_descriptor
    std::size_t count_ = 0;
    std::uint64_t numbers_ = 0;
    std::uint16_t next_port_ = 49152;  // RFC 6335 section 6: dynamic ports
};

}  // namespace rill
