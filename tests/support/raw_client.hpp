// A client that sends exactly the bytes it is told to, over a blocking socket.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "rill/base/address.hpp"

namespace rill::test {

// An answer as it came.
struct raw_answer {
    int status = 0;
    std::string head;  // with the empty line
    std::string body;

    // The value of the first field of that name (lower case); empty when there is none.
    [[nodiscard]] std::string field(std::string_view name) const;
    // How many lines have that name.
    [[nodiscard]] std::size_t count(std::string_view name) const;
};

// Waits are bounded: a peer that neither answers nor closes within 30 seconds makes them throw.
class raw_client {
public:
    // Connects to the port over IPv4, or over IPv6 where the address is [::1]. A receive buffer of
    // that many bytes makes a client that takes little.
    explicit raw_client(address const& to, int receive_buffer_bytes = 0);
    raw_client(raw_client const&) = delete;
    raw_client& operator=(raw_client const&) = delete;
    ~raw_client();

    // Sends all; false when the peer has reset the connection.
    bool send(std::string_view what);
    // Sends byte by byte, each in a segment of its own.
    bool send_in_bytes(std::string_view what);
    // Ends this side of the stream.
    void end();
    // Closes with a reset.
    void reset();

    // The next answer; `head_only` when none has a body (HEAD). Status 0 at the end of the stream.
    raw_answer read(bool head_only = false);
    // Sends a request and reads its answer.
    raw_answer ask(std::string_view request);
    // The next so many bytes; fewer at the end of the stream.
    std::string read_bytes(std::size_t size);
    // All that comes until the peer ends its side or resets.
    std::string read_rest();
    // True when the peer has ended its side and everything was read.
    bool ended();

private:
    bool receive();

    int descriptor_ = -1;
    std::string input_;
};

}  // namespace rill::test
