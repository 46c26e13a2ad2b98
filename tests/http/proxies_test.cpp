// Clients behind proxies: fields that they write, and the PROXY protocol before the first request.
// RFC 7239, HAProxy's specification of the PROXY protocol.
#include <doctest/doctest.h>

#include <string>

#include "http/client_info.hpp"
#include "support/raw_client.hpp"
#include "support/request_maker.hpp"
#include "support/test_server.hpp"

using namespace rill;
using test::raw_client;
using test::request_maker;
using test::test_server;

namespace {

network_set const trusted{"10.0.0.0/8", "::1", "unix:"};
network_set const loopback{"127.0.0.1"};
network_set const elsewhere{"192.0.2.0/24"};

std::string text_of(http::client_info const& client) {
    return client.address.host() + ' ' + client.scheme + ' ' + client.host;
}

// The client of a request that comes from `peer` with these fields.
std::string seen(std::string_view peer, std::initializer_list<http::field> fields,
                 http::forwarded_fields which = http::forwarded_fields::x_forwarded) {
    request_maker made(http::method::get, "/", fields);
    http::server_options const options{.trusted_proxies = &trusted, .forwarded = which};
    return text_of(http::client_behind(made.req, address::parse(peer).value(), options));
}

struct app {
    web::router routes;
    app() {
        routes.get("/", [](http::request& req) { return text_of(req.client()); });
        routes.get("/later", [](http::request& req) -> task<std::string> {
            co_return text_of(req.client()) + " later";
        });
    }
};

constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view get_later = "GET /later HTTP/1.1\r\nHost: a\r\n\r\n";

web::serve_options with_header(network_set const& from) {
    web::serve_options options;
    options.http.trusted_proxies = &from;
    options.http.proxy_header = true;
    return options;
}

}  // namespace

TEST_CASE("fields of a peer that nobody trusts are not believed") {
    CHECK(seen("1.2.3.4:1", {{"Host", "a"},
                             {"X-Forwarded-For", "5.6.7.8"},
                             {"X-Forwarded-Proto", "https"},
                             {"X-Forwarded-Host", "b"},
                             {"Forwarded", "for=5.6.7.8"}}) == "1.2.3.4 http a");
    request_maker made(http::method::get, "/", {{"Host", "a"}, {"X-Forwarded-For", "5.6.7.8"}});
    auto const peer = address::parse("10.0.0.1:1").value();
    CHECK(text_of(http::client_behind(made.req, peer, {})) == "10.0.0.1 http a");
    CHECK(made.req.client().address.kind() == address::family::none);
}

TEST_CASE("X-Forwarded-For is walked from the right, as far as proxies are trusted") {
    auto const from = [](std::string_view list, std::string_view more = "10.9.9.9") {
        return seen("10.0.0.1:1",
                    {{"Host", "a"}, {"X-Forwarded-For", list}, {"x-forwarded-for", more}});
    };
    CHECK(from("1.1.1.1") == "1.1.1.1 http a");
    CHECK(from("6.6.6.6, 1.1.1.1, 10.2.2.2") == "1.1.1.1 http a");
    CHECK(from("10.3.3.3") == "10.3.3.3 http a");
    CHECK(from("1.1.1.1, unknown") == "10.9.9.9 http a");
    CHECK(from("1.1.1.1", "bad value") == "10.0.0.1 http a");
    CHECK(from("[2001:db8::1]:443") == "2001:db8::1 http a");
    std::string long_list = "1.1.1.1";
    for (int i = 0; i < 40; ++i) long_list += ", 10.0.0.2";
    CHECK(from(long_list) == "10.0.0.2 http a");  // 32 hops are looked at
}

TEST_CASE("scheme and host are those that the outermost trusted proxy has written") {
    auto const from = [](std::string_view hops, std::string_view schemes, std::string_view hosts) {
        return seen("10.0.0.1:1", {{"Host", "inner"},
                                   {"X-Forwarded-For", hops},
                                   {"X-Forwarded-Proto", schemes},
                                   {"X-Forwarded-Host", hosts}});
    };
    CHECK(from("1.1.1.1", "HTTPS", "example.org:8443") == "1.1.1.1 https example.org:8443");
    CHECK(from("1.1.1.1, 10.2.2.2", "ftp, https, http", "evil, outer, inner") ==
          "1.1.1.1 https outer");
    CHECK(from("1.1.1.1, 10.2.2.2", "https", "outer") == "1.1.1.1 https outer");
    CHECK(from("1.1.1.1", "https, http", "evil, outer") == "1.1.1.1 http outer");
    CHECK(from("1.1.1.1", "gopher", "a b") == "1.1.1.1 http inner");
}

TEST_CASE("Forwarded is walked in the same way, where it is the field that proxies write") {
    auto const from = [](std::string_view list) {
        return seen("[::1]:1",
                    {{"Host", "inner"}, {"Forwarded", list}, {"X-Forwarded-For", "6.6.6.6"}},
                    http::forwarded_fields::forwarded);
    };
    CHECK(from("for=6.6.6.6, For=\"[2001:db8::1]:80\";proto=https;host=outer, "
               "for=10.1.1.1;proto=http") == "2001:db8::1 https outer");
    CHECK(from("for=1.1.1.1") == "1.1.1.1 http inner");
    CHECK(from("for=1.1.1.1, for=_hidden;proto=https") == "::1 https inner");
    CHECK(from("for=1.1.1.1, for=10.1.1.1;for=10.1.1.1") == "::1 http inner");
    CHECK(seen("10.0.0.1:1", {{"Host", "a"}, {"Forwarded", "for=6.6.6.6"}}) == "10.0.0.1 http a");
    CHECK(seen("10.0.0.1:1", {{"Host", "a"}, {"X-Forwarded-For", "6.6.6.6"}},
               http::forwarded_fields::none) == "10.0.0.1 http a");
}

TEST_CASE("a handler sees the peer of its connection, and the client behind a trusted one") {
    app of;
    web::serve_options options;
    options.http.trusted_proxies = &loopback;
    test_server server(of.routes, options);
    raw_client client(server.at());
    CHECK(client.ask(get).body == "127.0.0.1 http a");
    CHECK(client
              .ask("GET /later HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\n"
                   "X-Forwarded-Proto: https\r\n\r\n")
              .body == "1.2.3.4 https a later");
}

TEST_CASE("a PROXY header names the client for all requests of its connection") {
    app of;
    test_server server(of.routes, with_header(loopback));
    std::string const line = "PROXY TCP4 1.2.3.4 127.0.0.1 5 80\r\n";
    raw_client together(server.at());
    CHECK(together.ask(line + std::string(get)).body == "1.2.3.4 http a");
    CHECK(together.ask(get_later).body == "1.2.3.4 http a later");
    CHECK(together.ask(get).body == "1.2.3.4 http a");
    raw_client in_bytes(server.at());
    in_bytes.send_in_bytes(line + std::string(get));
    CHECK(in_bytes.read().body == "1.2.3.4 http a");
    std::string block("\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\x05\x06\x07\x08\0\0\0\0\0\1\0\2", 28);
    raw_client binary(server.at());
    binary.send_in_bytes(block);
    CHECK(binary.ask(get).body == "5.6.7.8 http a");
    block[12] = '\x20';  // LOCAL: the proxy speaks for itself
    raw_client local(server.at());
    CHECK(local.ask(block + std::string(get)).body == "127.0.0.1 http a");
    // The client behind the header is not trusted itself.
    raw_client spoof(server.at());
    CHECK(spoof.ask(line + "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n").body ==
          "1.2.3.4 http a");
}

TEST_CASE("a client behind a PROXY header is known also where its connection has a rate") {
    app of;
    web::serve_options options = with_header(loopback);
    options.http.connection_write_rate = 1'000'000;
    test_server server(of.routes, options);
    raw_client client(server.at());
    CHECK(client.ask("PROXY TCP4 1.2.3.4 127.0.0.1 5 80\r\n" + std::string(get)).body ==
          "1.2.3.4 http a");
    CHECK(client.ask(get_later).body == "1.2.3.4 http a later");
}

TEST_CASE("without a header, or with one from elsewhere, a connection is closed unanswered") {
    app of;
    {
        test_server server(of.routes, with_header(loopback));
        for (std::string const& begin :
             {std::string(get), std::string("PROXY TCP4 x\r\n"), std::string(5000, 'P'),
              "PROXY UNKNOWN " + std::string(200, 'x')}) {
            raw_client client(server.at());
            client.send(begin);
            CHECK(client.read_rest().empty());
        }
        CHECK(server.stop().counters.refused == 4);
    }
    test_server server(of.routes, with_header(elsewhere));
    raw_client client(server.at());
    client.send("PROXY TCP4 1.2.3.4 127.0.0.1 5 80\r\n" + std::string(get));
    CHECK(client.read_rest().empty());
    CHECK(server.stop().counters.requests == 0);
}

TEST_CASE("a shutdown waits for no PROXY header") {
    app of;
    web::serve_options options = with_header(loopback);
    options.http.proxy_header_timeout = 1h;
    test_server server(of.routes, options);
    raw_client silent(server.at());
    raw_client half(server.at());
    half.send("PROXY TCP4 1.2.3.4");
    // Whose header and request have come before is served.
    raw_client whole(server.at());
    CHECK(whole.ask("PROXY TCP4 1.2.3.4 127.0.0.1 5 80\r\n" + std::string(get)).body ==
          "1.2.3.4 http a");
    auto const report = server.stop();
    CHECK(report.cut == 0);
    CHECK(silent.ended());
    CHECK(half.ended());
    CHECK(whole.ended());
}

TEST_CASE("a PROXY header that does not come has a deadline of its own") {
    app of;
    web::serve_options options = with_header(loopback);
    options.http.proxy_header_timeout = 20ms;
    test_server server(of.routes, options);
    raw_client silent(server.at());
    CHECK(silent.read_rest().empty());
    raw_client half(server.at());
    half.send("PROXY TCP4 1.2.");
    CHECK(half.read_rest().empty());
    CHECK(server.stop().counters.timed_out == 2);
}
