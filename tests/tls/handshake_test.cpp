// Handshakes: who is let in, who is refused and why. RFC 8446, RFC 9525, RFC 6066 section 3, RFC
// 7301, RFC 8996.
#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/rt/sleep.hpp"
#include "tls/sessions.hpp"

using namespace rill;
using test::client_context;
using test::server_context;
using test::session;

namespace {

/// The client's verdict on a server that shows `own` and is asked for as `name`.
task<> judge(test::identity const& own, std::string_view name, std::error_code expected,
             std::string_view said = {}) {
    INFO(name);
    auto const server = tls::context::server({.certificate = own.certificate, .key = own.key});
    auto const client = client_context();
    session two({}, client, server, name);
    co_await two.begin();
    CHECK(two.how.client.error() == expected);
    CHECK(two.client_end.failure().find(said) != std::string_view::npos);
    if (expected) {
        // RFC 8446 section 6.2: the server is told.
        if (two.client_end.version()) CHECK(false);
    } else {
        CHECK(two.how.server.has_value());
    }
}

/// The first bytes of a client that speaks TLS 1.1 and nothing newer.
std::string hello_of_1_1() {
    SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_min_proto_version(context, TLS1_1_VERSION);
    SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
    SSL* const client = SSL_new(context);
    BIO* const to = BIO_new(BIO_s_mem());
    SSL_set_bio(client, BIO_new(BIO_s_mem()), to);
    SSL_connect(client);
    std::string hello(static_cast<std::size_t>(BIO_ctrl_pending(to)), '\0');
    BIO_read(to, hello.data(), static_cast<int>(hello.size()));
    SSL_free(client);
    SSL_CTX_free(context);
    return hello;
}

/// A server that is sent `text`, and then the end; its verdict.
task<> serve_garbage(std::string text, std::error_code& verdict) {
    byte_pipe pipe({.capacity_bytes = 256 * 1024});
    tls::stream server(pipe.second(), server_context());
    static_cast<void>(co_await as_result(pipe.first().write(bytes(text))));
    pipe.first().finish();
    auto const outcome = co_await server.handshake();
    verdict = outcome.error();
    server.close();
}

}  // namespace

RILL_IO_TEST("two ends agree on TLS 1.3 and on nothing less than they can") {
    test::pair ends;
    co_await test::make_pair(ends);
    tls::stream client(ends.client, client_context(), "a.example");
    tls::stream server(ends.server, server_context());
    test::outcomes how;
    co_await test::shake_both(client, server, how);
    CHECK(how.client.has_value());
    CHECK(how.server.has_value());
    CHECK(client.version() == tls::version::tls_1_3);
    CHECK(server.version() == tls::version::tls_1_3);
    CHECK(client.cipher() == server.cipher());
    CHECK(server.server_name() == "a.example");
    CHECK(client.failure().empty());
}

RILL_IO_TEST("TLS 1.2 is spoken with one who cannot do more, with an authenticated cipher") {
    session two({}, client_context({.newest = tls::version::tls_1_2}));
    co_await two.begin();
    CHECK(two.how.client.has_value());
    CHECK(two.server_end.version() == tls::version::tls_1_2);
    CHECK(two.server_end.cipher().starts_with("TLS_ECDHE_ECDSA_WITH_"));
}

RILL_IO_TEST("RFC 8996: a client of TLS 1.1 is refused") {
    std::error_code verdict;
    co_await serve_garbage(hello_of_1_1(), verdict);
    CHECK(verdict == tls::errc::no_common_version);
}

RILL_IO_TEST("who has no version in common learns that, on both sides") {
    session two({}, client_context({.newest = tls::version::tls_1_2}),
                server_context({.oldest = tls::version::tls_1_3}));
    co_await two.begin();
    CHECK(two.how.client.error() == tls::errc::no_common_version);
    CHECK(two.how.server.error() == tls::errc::no_common_version);
}

RILL_IO_TEST("C073: a certificate that is not for the name is refused, and the names are told") {
    auto const& by = test::trusted();
    auto const one = by.issue({.names = "DNS:a.example,DNS:b.example", .common = "c.example"});
    co_await judge(one, "a.example", {});
    co_await judge(one, "B.EXAMPLE", {});
    co_await judge(one, "a.example.", {});
    co_await judge(one, "x.example", tls::errc::certificate_wrong_name,
                   "is for a.example, b.example, and not for x.example");
    // RFC 9525 section 2: the common name says nothing.
    co_await judge(one, "c.example", tls::errc::certificate_wrong_name);
    auto const only_common = by.issue({.common = "c.example"});
    co_await judge(only_common, "c.example", tls::errc::certificate_wrong_name);
}

RILL_IO_TEST("C073: a star is one whole label of a name") {
    auto const& by = test::trusted();
    auto const star = by.issue({.names = "DNS:*.a.example"});
    co_await judge(star, "x.a.example", {});
    co_await judge(star, "a.example", tls::errc::certificate_wrong_name);
    co_await judge(star, "x.y.a.example", tls::errc::certificate_wrong_name);
    auto const part = by.issue({.names = "DNS:w*.a.example"});
    co_await judge(part, "www.a.example", tls::errc::certificate_wrong_name);
}

RILL_IO_TEST("C073: an IP address is looked for among the addresses of the certificate") {
    auto const& by = test::trusted();
    auto const one = by.issue({.names = "IP:127.0.0.1,IP:::1,DNS:a.example"});
    co_await judge(one, "127.0.0.1", {});
    co_await judge(one, "::1", {});
    co_await judge(one, "127.0.0.2", tls::errc::certificate_wrong_name,
                   "is for 127.0.0.1, ::1, a.example, and not for 127.0.0.2");
    auto const as_name = by.issue({.names = "DNS:127.0.0.1"});
    co_await judge(as_name, "127.0.0.1", tls::errc::certificate_wrong_name);
}

RILL_IO_TEST("C073: what has expired, is not valid yet, or comes from a stranger is refused") {
    auto const& by = test::trusted();
    std::string_view const names = "DNS:a.example";
    co_await judge(by.issue({.names = names, .until = 7200}), "a.example",
                   tls::errc::certificate_expired, "expired");
    co_await judge(by.issue({.names = names, .from = 4'000'000'000}), "a.example",
                   tls::errc::certificate_not_yet_valid);
    co_await judge(test::self_signed({.names = names}), "a.example",
                   tls::errc::certificate_self_signed, "self-signed");
    co_await judge(test::stranger().issue({.names = names}), "a.example",
                   tls::errc::certificate_unknown_issuer);
}

RILL_IO_TEST("C073: the trust store of the system does not speak for our own authority") {
    session two({}, tls::context::client());
    co_await two.begin();
    CHECK(two.how.client.error() == tls::errc::certificate_unknown_issuer);
    CHECK(two.how.server.error() == tls::errc::refused_by_peer);
    CHECK(two.server_end.failure().find("unknown CA") != std::string_view::npos);
}

RILL_IO_TEST("an insecure client takes whoever answers, and says so in its options") {
    session two({}, client_context({.insecure = true}), server_context(), {});
    co_await two.begin();
    CHECK(two.how.client.has_value());
    CHECK(two.server_end.server_name().empty());
}

RILL_IO_TEST("C072: names are sent as SNI, IP addresses are not") {
    auto const own = test::trusted().issue({.names = "IP:127.0.0.1,IP:::1,DNS:a.example"});
    auto const server = tls::context::server({.certificate = own.certificate, .key = own.key});
    std::vector<std::string_view> const asked{"a.example", "127.0.0.1", "::1"};
    for (auto const name : asked) {
        session two({}, client_context(), server, name);
        co_await two.begin();
        CHECK(two.how.client.has_value());
        CHECK(two.server_end.server_name() == (name == "a.example" ? name : std::string_view()));
    }
}

RILL_IO_TEST("RFC 7301: the server's best protocol that both speak is agreed on, or none") {
    session two({}, client_context({.protocols = "http/1.1,h2"}),
                server_context({.protocols = "h2,http/1.1"}));
    co_await two.begin();
    CHECK(two.client_end.protocol() == "h2");
    CHECK(two.server_end.protocol() == "h2");
    session silent({}, client_context(), server_context({.protocols = "h2"}));
    co_await silent.begin();
    CHECK(silent.how.client.has_value());
    CHECK(silent.client_end.protocol().empty());
    session apart({}, client_context({.protocols = "mqtt"}), server_context({.protocols = "h2"}));
    co_await apart.begin();
    CHECK(apart.how.client.error() == tls::errc::no_common_protocol);
    CHECK(apart.how.server.error() == tls::errc::no_common_protocol);
}

RILL_IO_TEST("a server that requires certificates of clients lets nobody in without") {
    auto const server = server_context({.clients = tls::client_certificates::required,
                                        .client_authorities = test::trusted().certificate()});
    session none({}, client_context(), server);
    co_await none.begin();
    CHECK(none.how.server.error() == tls::errc::certificate_missing);

    auto const known = test::trusted().issue({.common = "somebody"});
    session let_in({}, client_context({.certificate = known.certificate, .key = known.key}),
                   server);
    co_await let_in.begin();
    CHECK(let_in.how.server.has_value());

    auto const unknown = test::stranger().issue({.common = "somebody"});
    session refused({}, client_context({.certificate = unknown.certificate, .key = unknown.key}),
                    server);
    co_await refused.begin();
    CHECK(refused.how.server.error() == tls::errc::certificate_unknown_issuer);
}

RILL_IO_TEST("bytes that are no TLS end the handshake and nothing else") {
    std::vector<std::string> const texts{
        "GET / HTTP/1.1\r\n\r\n",
        "",
        "x",
        std::string(100'000, 'x'),
        std::string(64, '\0'),
        std::string("\x16\x03\x01\xff\xff", 5) + std::string(70'000, 'y'),
        std::string("\x16\x03\x01\x00\x05\x01\xff\xff\xff\xff", 10),
        std::string("\x15\x03\x01\x00\x02\x02\x28", 7)};
    for (auto const& text : texts) {
        std::error_code verdict;
        co_await serve_garbage(text, verdict);
        CHECK(verdict);
        if (text.starts_with("GET")) CHECK(verdict == tls::errc::not_tls);
        if (text.size() < 2) CHECK(verdict == tls::errc::truncated);
    }
    // And a client whose server greets first, as one of mail does.
    byte_pipe pipe;
    tls::stream client(pipe.first(), client_context(), "a.example");
    std::string_view const greeting = "220 mail.example ready\r\n";
    co_await pipe.second().write(greeting);
    auto const outcome = co_await client.handshake();
    CHECK(outcome.error() == tls::errc::not_tls);
    client.close();
}

RILL_IO_TEST("a hello that comes byte by byte is understood") {
    session two({.piece_bytes = 1});
    co_await two.begin();
    CHECK(two.how.client.has_value());
    CHECK(two.how.server.has_value());
}

RILL_IO_TEST("C071: a peer that is silent is given up at the deadline, on both sides") {
    test::pair ends;
    co_await test::make_pair(ends);
    tls::stream server(ends.server, server_context());
    auto const waited = co_await server.handshake(core::current().now() + 20ms);
    CHECK(waited.error() == errc::timed_out);
    CHECK(server.failure() == "deadline passed");
    server.close();

    byte_pipe pipe;
    tls::stream client(pipe.first(), client_context(), "a.example");
    auto const alone = co_await client.handshake(core::current().now() + 20ms);
    CHECK(alone.error() == errc::timed_out);
    client.close();
}

TEST_CASE("a handshake that is cancelled at any of its waits leaves nothing behind") {
    for (int turns = 0;; ++turns) {
        bool whole = false;
        test::simulate([&]() -> task<> {
            auto body = [](int most, bool& done) -> task<> {
                session two({.capacity_bytes = 64, .piece_bytes = 16});
                auto first = co_await when_any(two.begin(), test::settle(most));
                done = first.index == 0;
            };
            return body(turns, whole);
        });
        if (whole) break;
        REQUIRE(turns < 10'000);
    }
}

TEST_CASE("a context that cannot be made says which file or text is to blame") {
    auto const one = test::trusted().issue({.names = "DNS:a.example"});
    auto const two = test::trusted().issue({.names = "DNS:a.example"});
    auto const said = [](tls::server_options const& with) -> std::string {
        try {
            static_cast<void>(tls::context::server(with));
        } catch (error const& failure) {
            return failure.what();
        }
        return "made";
    };
    CHECK(said({.certificate = one.certificate, .key = one.key}) == "made");
    CHECK(said({.certificate_file = "/none.pem", .key = one.key}).find("/none.pem: No such file") !=
          std::string::npos);
    CHECK(said({.certificate = one.certificate, .key = two.key}).find("not that of") !=
          std::string::npos);
    CHECK(said({.certificate = one.certificate}).find("a certificate and its key") !=
          std::string::npos);
    CHECK(said({.certificate = "hello", .key = one.key}).find("PEM certificate") !=
          std::string::npos);
    CHECK(said({}).find("needs a certificate") != std::string::npos);
    CHECK(said({.certificate = one.certificate, .key = one.key, .protocols = ","})
              .find("h2,http/1.1") != std::string::npos);
}
