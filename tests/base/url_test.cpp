// url: RFC 3986 and RFC 6874, strict.
#include "rill/base/url.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using rill::url;
using rill::url_host_kind;

namespace {

bool is_bad(std::string_view text) {
    auto const parsed = url::parse(text);
    return !parsed && parsed.error() == rill::errc::bad_url;
}

std::string resolved(std::string_view base, std::string_view reference) {
    auto const at = url::parse(base);
    REQUIRE(at);
    auto const to = at->resolve(reference);
    return to ? std::string(to->text()) : "error";
}

}  // namespace

TEST_CASE("all components of a URL are found") {
    auto const u = url::parse("HTTPS://Joe:p%40ss@Example.COM:08443/a/b%20c;v=1?q=1&r=/?#top/?");
    REQUIRE(u);
    CHECK(u->scheme() == "https");
    CHECK(u->userinfo() == "Joe:p%40ss");
    CHECK(u->host() == "example.com");
    CHECK(u->host_kind() == url_host_kind::name);
    CHECK(u->port() == 8443);
    CHECK(u->path() == "/a/b%20c;v=1");
    CHECK(u->query() == "q=1&r=/?");
    CHECK(u->fragment() == "top/?");
    CHECK(u->target() == "/a/b%20c;v=1?q=1&r=/?");
    CHECK(u->host_field() == "example.com:8443");
    CHECK(u->text() == "https://Joe:p%40ss@example.com:8443/a/b%20c;v=1?q=1&r=/?#top/?");
}

TEST_CASE("the fragment starts at the first # and the query ends there") {
    // RFC 3986 sections 3.4 and 3.5; case C016.
    auto const first = url::parse("http://h/a.htm#x?y");
    REQUIRE(first);
    CHECK(first->path() == "/a.htm");
    CHECK_FALSE(first->has_query());
    CHECK(first->fragment() == "x?y");
    CHECK(first->target() == "/a.htm");
    CHECK(is_bad("http://h/a?b#c#d"));
    auto const second = url::parse("http://h/a?b#c?d");
    REQUIRE(second);
    CHECK(second->query() == "b");
    CHECK(second->fragment() == "c?d");
    CHECK(second->target() == "/a?b");
    auto const host = url::parse("http://h#/x@y:1");
    REQUIRE(host);
    CHECK(host->host() == "h");
    CHECK(host->target() == "/");
    CHECK(host->fragment() == "/x@y:1");
}

TEST_CASE("what is empty differs from what is absent") {
    auto const u = url::parse("http://h/?#");
    REQUIRE(u);
    CHECK(u->has_query());
    CHECK(u->query().empty());
    CHECK(u->has_fragment());
    CHECK(u->target() == "/?");
    auto const plain = url::parse("http://h/");
    REQUIRE(plain);
    CHECK_FALSE(plain->has_query());
    CHECK_FALSE(plain->has_fragment());
}

TEST_CASE("an empty path is a slash where HTTP needs one") {
    auto const u = url::parse("http://h?q");
    REQUIRE(u);
    CHECK(u->target() == "/?q");
    CHECK(u->text() == "http://h/?q");
    auto const broker = url::parse("mqtt://h");
    REQUIRE(broker);
    CHECK(broker->path().empty());
    CHECK(broker->effective_port() == 1883);
}

TEST_CASE("ports are 0 to 65535, by default the scheme's own") {
    std::pair<char const*, int> const defaults[] = {{"http", 80}, {"https", 443}, {"ws", 80},
                                                    {"wss", 443}, {"mqtt", 1883}, {"mqtts", 8883}};
    for (auto const& [scheme, port] : defaults) {
        auto const u = url::parse(std::string(scheme) + "://h/");
        REQUIRE(u);
        CHECK_FALSE(u->port());
        CHECK(u->effective_port() == port);
        CHECK(u->host_field() == "h");
        auto const same = url::parse(std::string(scheme) + "://h:" + std::to_string(port) + "/");
        REQUIRE(same);
        CHECK(same->port() == port);
        CHECK(same->host_field() == "h");
    }
    CHECK(url::parse("http://h:0/").value().port() == 0);
    CHECK(url::parse("http://h:65535/").value().port() == 65535);
    CHECK(url::parse("http://h:/").value().text() == "http://h/");
    CHECK(url::parse("ftp://h/").value().effective_port() == std::nullopt);
    for (char const* bad : {"http://h:65536/", "http://h:-1/", "http://h:8a/", "http://h:1:2/",
                            "http://h:99999999999999999999/", "http://h: 80/"}) {
        CAPTURE(bad);
        CHECK(is_bad(bad));
    }
}

TEST_CASE("IPv6 literals keep their brackets in the Host field, and zones are not sent") {
    // RFC 3986 section 3.2.2, RFC 6874 sections 2 and 4; case C040.
    auto const u = url::parse("http://[::1]:8080/");
    REQUIRE(u);
    CHECK(u->host() == "::1");
    CHECK(u->host_kind() == url_host_kind::ipv6);
    CHECK(u->host_field() == "[::1]:8080");
    auto const zoned = url::parse("http://[FE80::1%25eth%30]/");
    REQUIRE(zoned);
    CHECK(zoned->host() == "fe80::1");
    CHECK(zoned->zone() == "eth0");
    CHECK(zoned->host_field() == "[fe80::1]");
    CHECK(zoned->text() == "http://[fe80::1%25eth%30]/");
    CHECK(url::parse("http://[v1.a:b]/").value().host_kind() == url_host_kind::future);
    for (char const* good : {"::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4",
                             "1::8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "a::1.2.3.4"}) {
        CAPTURE(good);
        CHECK(url::parse("http://[" + std::string(good) + "]/"));
    }
    for (char const* bad : {"",
                            ":",
                            ":::",
                            "1::2::3",
                            "1:2:3:4:5:6:7",
                            "1:2:3:4:5:6:7:8:9",
                            "12345::",
                            "g::",
                            "1:2:3:4:5:6:7:1.2.3.4",
                            "::1.2.3",
                            "1.2.3.4::",
                            "::1%eth0",
                            "::1%25",
                            "::1%25a%00b",
                            "::1%25a b",
                            "1:",
                            ":1",
                            "1:2:3:4:5:6:7:8::",
                            "v.a",
                            "vg.a",
                            "v1."}) {
        CAPTURE(bad);
        CHECK(is_bad("http://[" + std::string(bad) + "]/"));
    }
    for (char const* bad : {"http://::1/", "http://[::1/", "http://::1]/", "http://[::1]x/",
                            "http://[::1]]/", "http://x[::1]/", "http://[[::1]]/", "http://[/"}) {
        CAPTURE(bad);
        CHECK(is_bad(bad));
    }
}

TEST_CASE("an IPv4 address is four plain decimal numbers, anything else is a name") {
    CHECK(url::parse("http://127.0.0.1/").value().host_kind() == url_host_kind::ipv4);
    CHECK(url::parse("http://255.249.100.9/").value().host_kind() == url_host_kind::ipv4);
    for (char const* name : {"256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "0x7f.1", "1.2.3.4."}) {
        CAPTURE(name);
        CHECK(url::parse("http://" + std::string(name) + "/").value().host_kind() ==
              url_host_kind::name);
    }
}

TEST_CASE("text that RFC 3986 does not allow is refused") {
    using namespace std::string_literals;
    for (std::string const& bad : {""s,
                                   "/a"s,
                                   "//h/a"s,
                                   "h"s,
                                   ":a"s,
                                   "1http://h/"s,
                                   "ht tp://h/"s,
                                   "http:"s,
                                   "http://"s,
                                   "http:///a"s,
                                   "http:a"s,
                                   "http://:80/"s,
                                   "http://u@/"s,
                                   "http://a@b@c/"s,
                                   "http://h/a b"s,
                                   "http://h/\n"s,
                                   "http://h/\0"s,
                                   " http://h/"s,
                                   "http://h/ "s,
                                   "http://h/%"s,
                                   "http://h/%2"s,
                                   "http://h/%g0"s,
                                   "http://h/?%"s,
                                   "http://h/#%zz"s,
                                   "http://h/\xc3\xbc"s,
                                   "http://\xc3\xbc/"s,
                                   "http://h\\@x/"s,
                                   "http://h/<>"s,
                                   "http://h/a|b"s,
                                   "http://h/\"x\""s,
                                   "http://u\"@h/"s,
                                   "http://h%2/"s,
                                   "http://h\r\nx/"s,
                                   "http://h/[a]"s,
                                   "http://h/?^"s,
                                   "http://h/`"s}) {
        CAPTURE(bad);
        CHECK(is_bad(bad));
    }
}

TEST_CASE("URLs without an authority are read too") {
    auto const mail = url::parse("mailto:joe@example.com");
    REQUIRE(mail);
    CHECK(mail->host_kind() == url_host_kind::none);
    CHECK(mail->path() == "joe@example.com");
    CHECK_FALSE(mail->effective_port());
    auto const file = url::parse("file:///etc/hosts");
    REQUIRE(file);
    CHECK(file->host_kind() == url_host_kind::name);
    CHECK(file->host().empty());
    CHECK(file->path() == "/etc/hosts");
    CHECK(url::parse("urn:a:b?c").value().query() == "c");
}

TEST_CASE("a URL longer than its limit is refused") {
    std::string long_one = "http://h/" + std::string(url::maximum_bytes - 9, 'a');
    CHECK(url::parse(long_one));
    long_one += 'a';
    CHECK(url::parse(long_one).error() == rill::errc::limit_exceeded);
    auto const base = url::parse(std::string_view(long_one).substr(0, url::maximum_bytes / 2));
    REQUIRE(base);
    CHECK(base->resolve("#" + std::string(url::maximum_bytes - 2, 'b')).error() ==
          rill::errc::limit_exceeded);
}

TEST_CASE("copies and moves keep the components, and what was moved from is empty") {
    auto u = url::parse("http://h:1/p").value();
    url const copy = u;
    url const moved = std::move(u);
    CHECK(copy == moved);
    CHECK(moved.host() == "h");
    CHECK(moved.path() == "/p");
    CHECK(u.path().empty());
    CHECK(u.text().empty());
}

TEST_CASE("relative references resolve as the RFC's examples do") {
    // RFC 3986 section 5.4; the base is ftp's for the cases in which http needs a host.
    std::pair<char const*, char const*> const examples[] = {
        {"g:h", "g:h"},
        {"g", "ftp://a/b/c/g"},
        {"./g", "ftp://a/b/c/g"},
        {"g/", "ftp://a/b/c/g/"},
        {"/g", "ftp://a/g"},
        {"//g", "ftp://g"},
        {"?y", "ftp://a/b/c/d;p?y"},
        {"g?y", "ftp://a/b/c/g?y"},
        {"#s", "ftp://a/b/c/d;p?q#s"},
        {"g#s", "ftp://a/b/c/g#s"},
        {"g?y#s", "ftp://a/b/c/g?y#s"},
        {";x", "ftp://a/b/c/;x"},
        {"g;x", "ftp://a/b/c/g;x"},
        {"g;x?y#s", "ftp://a/b/c/g;x?y#s"},
        {"", "ftp://a/b/c/d;p?q"},
        {".", "ftp://a/b/c/"},
        {"./", "ftp://a/b/c/"},
        {"..", "ftp://a/b/"},
        {"../", "ftp://a/b/"},
        {"../g", "ftp://a/b/g"},
        {"../..", "ftp://a/"},
        {"../../", "ftp://a/"},
        {"../../g", "ftp://a/g"},
        {"../../../g", "ftp://a/g"},
        {"../../../../g", "ftp://a/g"},
        {"/./g", "ftp://a/g"},
        {"/../g", "ftp://a/g"},
        {"g.", "ftp://a/b/c/g."},
        {".g", "ftp://a/b/c/.g"},
        {"g..", "ftp://a/b/c/g.."},
        {"..g", "ftp://a/b/c/..g"},
        {"./../g", "ftp://a/b/g"},
        {"./g/.", "ftp://a/b/c/g/"},
        {"g/./h", "ftp://a/b/c/g/h"},
        {"g/../h", "ftp://a/b/c/h"},
        {"g;x=1/./y", "ftp://a/b/c/g;x=1/y"},
        {"g;x=1/../y", "ftp://a/b/c/y"},
        {"g?y/./x", "ftp://a/b/c/g?y/./x"},
        {"g?y/../x", "ftp://a/b/c/g?y/../x"},
        {"g#s/./x", "ftp://a/b/c/g#s/./x"},
        {"g#s/../x", "ftp://a/b/c/g#s/../x"},
        {"ftp:g", "ftp:g"},
    };
    for (auto const& [reference, expected] : examples) {
        CAPTURE(reference);
        CHECK(resolved("ftp://a/b/c/d;p?q", reference) == expected);
    }
}

TEST_CASE("references at the edges resolve to what can be read back") {
    CHECK(resolved("http://h", "a") == "http://h/a");
    CHECK(resolved("http://h?q", "#f") == "http://h/?q#f");
    CHECK(resolved("https://h/x", "//other:1/y") == "https://other:1/y");
    CHECK(resolved("http://h/x", "http://k/../y") == "http://k/y");
    CHECK(resolved("ftp://h", "a") == "ftp://h/a");
    CHECK(resolved("http://u@h/x", "y") == "http://u@h/y");
    CHECK(resolved("http://[fe80::1%25a]/x", "y") == "http://[fe80::1%25a]/y");
    CHECK(resolved("x:/a", "/.//b") == "x:/.//b");
    CHECK(resolved("x:a", "b:c") == "b:c");
    CHECK(resolved("x:a", "./b:c") == "x:b:c");
    CHECK(resolved("http://h/", "http:g") == "error");
    CHECK(resolved("http://h/", "a b") == "error");
    CHECK(resolved("http://h/", "1:b") == "error");
    CHECK(resolved("http://h/", "//") == "error");
}

TEST_CASE("dot segments are removed and never climb above the root") {
    // RFC 3986 section 5.2.4.
    std::pair<char const*, char const*> const paths[] = {
        {"/a/b/c/./../../g", "/a/g"},
        {"mid/content=5/../6", "mid/6"},
        {"", ""},
        {"/", "/"},
        {"..", ""},
        {".", ""},
        {"/..", "/"},
        {"/.", "/"},
        {"/../../etc", "/etc"},
        {"../../x", "x"},
        {"/a/..", "/"},
        {"/a/../", "/"},
        {"/a//../b", "/a/b"},
        {"//a/..", "//"},
        {"/...", "/..."},
        {"/a/.../b", "/a/.../b"},
        {"/.a/..b", "/.a/..b"},
        {"/%2e%2e/a", "/%2e%2e/a"},
        {"a/..", "/"},
        {"a/../b", "/b"},
    };
    for (auto const& [path, expected] : paths) {
        CAPTURE(path);
        CHECK(rill::remove_dot_segments(path) == expected);
    }
}
