// A blocking socket that asks for no memory, for tests that count requests for memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rill::test {

class plain_socket {
public:
    // Connects to 127.0.0.1.
    explicit plain_socket(std::uint16_t port);
    plain_socket(plain_socket const&) = delete;
    plain_socket& operator=(plain_socket const&) = delete;
    ~plain_socket();

    // Sends a request and takes what one receive brings. Returns how many bytes that was.
    std::size_t ask(std::string_view request) noexcept;
    // Sends it again and takes an answer of exactly that size. Ends the program where there is none
    // within 30 seconds.
    void ask_again(std::string_view request, std::size_t size) noexcept;

private:
    int descriptor_;
};

}  // namespace rill::test
