// Basic, bearer and digest authentication. RFC 7617, RFC 6750, RFC 7616.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "codec/digest.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/web/middleware/basic_auth.hpp"
#include "rill/web/middleware/bearer_auth.hpp"
#include "rill/web/middleware/digest_auth.hpp"
#include "rill/web/router.hpp"
#include "support/sim.hpp"

using namespace rill;
using http::method;
using web::call_request;

namespace {

std::string who(http::request& req) {
    return std::string(web::user_of(req));
}

task<std::string> ask(web::router& app, std::string authorization) {
    call_request of(method::get, "/dir/index.html");
    if (!authorization.empty()) of.field("authorization", authorization);
    auto const answer = co_await app.call(of);
    if (answer.status() == http::status::ok) co_return std::string(answer.text());
    co_return std::to_string(http::code_of(answer.status())) + " " +
        std::string(answer.headers().get("www-authenticate"));
}

task<> check(web::router& app, std::string authorization, std::string_view wanted) {
    CAPTURE(authorization);
    std::string const got = co_await ask(app, authorization);
    CHECK(got == wanted);
}

std::string hash(std::string_view text) {
    std::array<std::string_view, 1> const pieces = {text};
    return codec::sha256_hex(pieces);
}

struct digest_client {
    std::string user = "Mufasa", password = "Circle of Life", realm = "http-auth@example.org";
    std::string nonce, cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
    std::string uri = "/dir/index.html", algorithm = "SHA-256", quality = "auth";

    [[nodiscard]] std::string response(std::string const& count) const {
        return hash(hash(user + ":" + realm + ":" + password) + ":" + nonce + ":" + count + ":" +
                    cnonce + ":" + quality + ":" + hash("GET:" + uri));
    }
    [[nodiscard]] std::string field(std::string const& count) const {
        return "Digest username=\"" + user + "\", realm=\"" + realm + "\", uri=\"" + uri +
               "\", algorithm=" + algorithm + ", nonce=\"" + nonce + "\", nc=" + count +
               ", cnonce=\"" + cnonce + "\", qop=" + quality + ", response=\"" + response(count) +
               "\"";
    }
};

task<std::string> fresh_nonce(web::router& app) {
    std::string const challenge = co_await ask(app, "");
    std::size_t const at = challenge.find("nonce=\"") + 7;
    co_return challenge.substr(at, challenge.find('"', at) - at);
}

}  // namespace

TEST_CASE("a name and a password let in, and everything else is 401 with a challenge") {
    test::simulate([]() -> task<> {
        web::secret_list users;
        users.add("Aladdin", "open sesame").add("a", "");
        web::router app;
        app.use(web::basic_auth("Say \"hi\"", std::move(users)));
        app.get("/dir/index.html", who);
        constexpr auto no = "401 Basic realm=\"Say \\\"hi\\\"\", charset=\"UTF-8\"";
        co_await check(app, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin");
        co_await check(app, "bAsIc QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin");
        co_await check(app, "Basic YTo=", "a");
        co_await check(app, "", no);
        co_await check(app, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZR==", no);  // bits beyond the text
        co_await check(app, "Basic QWxhZGRpbjpvcGVu", no);
        co_await check(app, "Basic Yjo=", no);  // "b:", whom nobody knows
        co_await check(app, "Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ==", no);
        // Of two nobody knows which one counts.
        call_request twice(method::get, "/dir/index.html");
        twice.field("authorization", "Basic YTo=").field("authorization", "Basic YTo=");
        auto const answer = co_await app.call(twice);
        CHECK(answer.status() == http::status::unauthorized);
    });
    CHECK_THROWS(web::basic_auth("a\nb", [](auto, auto) { return true; }));
}

TEST_CASE("a token lets in its owner, and what was wrong is said to who has sent one") {
    test::simulate([]() -> task<> {
        web::secret_list tokens;
        tokens.add("ann", "mF_9.B5f-4.1JqM").add("bob", "other");
        web::router app;
        app.use(web::bearer_auth("api", std::move(tokens)));
        app.get("/dir/index.html", who);
        co_await check(app, "Bearer mF_9.B5f-4.1JqM", "ann");
        co_await check(app, "Bearer other", "bob");
        co_await check(app, "", "401 Bearer realm=\"api\"");
        co_await check(app, "Basic YTo=", "401 Bearer realm=\"api\"");
        co_await check(app, "Bearer wrong", "401 Bearer realm=\"api\", error=\"invalid_token\"");
        co_await check(app, "Bearer a b", "400 Bearer realm=\"api\", error=\"invalid_request\"");
        co_await check(app, "Bearer", "400 Bearer realm=\"api\", error=\"invalid_request\"");
    });
}

TEST_CASE("a proof of a password is the one of RFC 7616 section 3.9.1") {
    digest_client client;
    client.nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v";
    CHECK(client.response("00000001") ==
          "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1");
}

TEST_CASE("a proof lets in once, while its nonce is young, and for what it was made for") {
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::digest_auth("http-auth@example.org").user("Mufasa", "Circle of Life"));
        app.get("/dir/index.html", who);
        digest_client client;
        client.nonce = co_await fresh_nonce(app);
        co_await check(app, client.field("00000001"), "Mufasa");
        co_await check(app, client.field("0000000a"), "Mufasa");
        auto const refused = [&](std::string field, bool stale) -> task<> {
            CAPTURE(field);
            std::string const got = co_await ask(app, field);
            CHECK(
                got.starts_with("401 Digest realm=\"http-auth@example.org\", qop=\"auth\", "
                                "algorithm=SHA-256, nonce=\""));
            CHECK(got.ends_with(", stale=true") == stale);
        };
        co_await refused(client.field("00000001"), false);  // again
        co_await refused(client.field("0000000a"), false);
        co_await refused(client.field("00000000"), false);
        co_await refused(client.field("b"), false);
        auto const changed = [&](std::string digest_client::* part, std::string to) {
            digest_client other = client;
            other.*part = std::move(to);
            return other.field("0000000b");
        };
        co_await refused(changed(&digest_client::password, "wrong"), false);
        co_await refused(changed(&digest_client::user, "Scar"), false);
        co_await refused(changed(&digest_client::uri, "/other"), false);
        co_await refused(changed(&digest_client::realm, "other"), false);
        co_await refused(changed(&digest_client::algorithm, "MD5"), false);
        co_await refused(changed(&digest_client::quality, "auth-int"), false);
        std::string forged = client.nonce;
        forged[3] = forged[3] == '0' ? '1' : '0';
        co_await refused(changed(&digest_client::nonce, forged), false);
        co_await refused(client.field("0000000b") + ", nc=0000000c", false);  // twice
        co_await check(app, client.field("0000000b"), "Mufasa");
        // lint: allow(banned) the clock is virtual
        co_await sleep(301s);
        co_await refused(client.field("0000000c"), true);
    });
}

TEST_CASE("a nonce that was forgotten for another is stale and never good again") {
    test::simulate([]() -> task<> {
        web::router app;
        web::digest_auth door("http-auth@example.org", {.nonces = 2});
        door.user("Mufasa", "Circle of Life");
        app.use(std::move(door));
        app.get("/dir/index.html", who);
        digest_client client;
        std::string first;
        for (int i = 0; i < 3; ++i) {
            // lint: allow(banned) the clock is virtual
            co_await sleep(1s);
            client.nonce = co_await fresh_nonce(app);
            if (i == 0) first = client.nonce;
            co_await check(app, client.field("00000001"), "Mufasa");
        }
        client.nonce = first;
        std::string const got = co_await ask(app, client.field("00000001"));
        CHECK(got.ends_with("stale=true"));
    });
}
