// The command line of the load generator; see options.hpp.
#include "options.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>

#include <arpa/inet.h>

#include "failure.hpp"

namespace load {
namespace {

template <class Number>
Number number(std::string_view name, std::string_view text) {
    Number value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < Number{})
        throw failure(std::string(name) + " wants a number, not '" + std::string(text) + "'");
    return value;
}

sockaddr_in address(std::string_view text) {
    sockaddr_in result{};
    auto const colon = text.rfind(':');
    result.sin_family = AF_INET;
    if (colon == std::string_view::npos ||
        inet_pton(AF_INET, std::string(text.substr(0, colon)).c_str(), &result.sin_addr) != 1)
        throw failure("'" + std::string(text) + "' is not ADDRESS:PORT");
    result.sin_port = htons(number<std::uint16_t>("the port", text.substr(colon + 1)));
    return result;
}

std::vector<pid_t> processes(std::string_view text) {
    std::vector<pid_t> result;
    while (!text.empty()) {
        auto const comma = text.find(',');
        result.push_back(number<pid_t>("--watch", text.substr(0, comma)));
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    return result;
}

std::string content_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file || text.empty()) throw failure("--pattern wants a file that is not empty: " + path);
    return text;
}

void set(options& into, std::string_view name, std::string_view value) {
    if (name == "--connect") {
        into.server = address(value);
        into.host = value;
    } else if (name == "--connections") {
        into.connections = number<std::size_t>(name, value);
    } else if (name == "--size") {
        into.size = number<std::size_t>(name, value);
    } else if (name == "--depth") {
        into.depth = number<std::size_t>(name, value);
    } else if (name == "--rate") {
        into.rate = number<double>(name, value);
    } else if (name == "--warm") {
        into.warm = number<double>(name, value);
    } else if (name == "--time") {
        into.time = number<double>(name, value);
    } else if (name == "--requests") {
        into.requests = number<std::uint64_t>(name, value);
    } else if (name == "--seed") {
        into.seed = number<std::uint64_t>(name, value);
    } else if (name == "--path") {
        into.path = value;
    } else if (name == "--expect") {
        into.expect = value;
    } else if (name == "--pattern") {
        into.pattern = content_of(std::string(value));
    } else if (name == "--watch") {
        into.watch = processes(value);
    } else {
        throw failure("unknown option " + std::string(name));
    }
}

void check(options const& chosen) {
    if (chosen.host.empty()) throw failure("--connect ADDRESS:PORT is missing");
    if (chosen.connections == 0 || chosen.size == 0 || chosen.depth == 0)
        throw failure("--connections, --size and --depth are at least 1");
    if (chosen.busy && (chosen.rate <= 0 || chosen.kind != protocol::http))
        throw failure("--busy is for the open loop of HTTP");
    if (!chosen.pattern.empty() && chosen.depth != 1) throw failure("--pattern has no --depth");
    if (chosen.rate > 0 && (chosen.depth != 1 || chosen.requests != 0))
        throw failure("the open loop has neither --depth nor --requests");
}

}  // namespace

char const* const usage =
    "usage: load echo|http|idle-echo|idle-http --connect ADDRESS:PORT\n"
    "  [--connections N] [--size BYTES] [--depth N] [--warm S] [--time S] [--requests N]\n"
    "  [--rate PER_SECOND [--poisson] [--busy]] [--path P] [--expect BODY] "
    "[--watch PID,...] [--seed N]\n"
    "  [--pattern FILE]  (the body repeats the file and has --size bytes)\n"
    "Closed loop without --rate, open loop with it. One JSON line on standard output.\n"
    "idle-*: reads 'open N', 'ask', 'quit' from standard input.\n";

options parse(int argc, char** argv) {
    if (argc < 2) throw failure("which protocol?");
    options result;
    std::string_view mode = argv[1];
    result.idle = mode.starts_with("idle-");
    if (result.idle) mode.remove_prefix(5);
    if (mode == "echo") {
        result.kind = protocol::echo;
    } else if (mode != "http") {
        throw failure("'" + std::string(argv[1]) + "' is no mode");
    }
    for (int i = 2; i < argc; ++i) {
        std::string_view const name = argv[i];
        if (name == "--poisson") {
            result.poisson = true;
        } else if (name == "--busy") {
            result.busy = true;
        } else {
            if (i + 1 == argc) throw failure(std::string(name) + " wants a value");
            set(result, name, argv[++i]);
        }
    }
    check(result);
    return result;
}

}  // namespace load
