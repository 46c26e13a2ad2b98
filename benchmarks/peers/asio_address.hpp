// What both asio echo servers share: the address from the command line.
#pragma once
// Debian 12's asio knows coroutines of g++ only; clang 19 has the same header.
#ifndef ASIO_HAS_CO_AWAIT
#define ASIO_HAS_CO_AWAIT 1
#endif
#ifndef ASIO_HAS_STD_COROUTINE
#define ASIO_HAS_STD_COROUTINE 1
#endif
#include <asio.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

inline asio::ip::tcp::endpoint endpoint_from(int argc, char** argv) {
    std::string const text = argc == 2 ? argv[1] : "";
    auto const colon = text.rfind(':');
    if (colon == std::string::npos) {
        std::fprintf(stderr, "usage: %s ADDRESS:PORT\n", argv[0]);
        std::exit(2);
    }
    auto const port = static_cast<unsigned short>(std::stoul(text.substr(colon + 1)));
    return {asio::ip::make_address(text.substr(0, colon)), port};
}

inline asio::ip::tcp::acceptor listen_on(asio::io_context& context,
                                         asio::ip::tcp::endpoint const& where) {
    asio::ip::tcp::acceptor acceptor(context);
    acceptor.open(where.protocol());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind(where);
    acceptor.listen(65535);
    return acceptor;
}
