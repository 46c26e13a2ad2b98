// Parses one request head COUNT times, for counting instructions:
//   valgrind --tool=callgrind http1_parse 75 COUNT     (75 or 102: bytes of the head)
// The difference of two counts, divided, is the cost of one head.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "rill/codec/http1_request.hpp"

namespace {

/// What h2load --h1 sends, and the same with a path and two more fields.
constexpr std::string_view small =
    "GET / HTTP/1.1\r\nHost: 127.0.0.1:8099\r\nuser-agent: h2load nghttp2/1.52.0\r\n\r\n";
constexpr std::string_view larger =
    "GET /hello HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nuser-agent: h2load nghttp2/1.52.0\r\n"
    "accept: */*\r\nx-a: 12\r\n\r\n";
static_assert(small.size() == 75 && larger.size() == 102);

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: http1_parse 75|102 COUNT\n", stderr);
        return 2;
    }
    rill::bytes const head(std::string_view(argv[1]) == "75" ? small : larger);
    long const count = std::atol(argv[2]);
    rill::http1::request_parser parser;
    std::size_t sum = 0;
    for (long i = 0; i < count; ++i) {
        parser.reset();
        if (parser.parse(head).state != rill::http1::head_state::complete) return 1;
        sum += parser.head().path().size() + (parser.head().keep_alive() ? 1 : 0);
    }
    std::printf("%zu\n", sum);
    return 0;
}
