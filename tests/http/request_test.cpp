// request: targets, decoding, fields, conversion.
#include "rill/http/request.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>

#include "rill/http/problem.hpp"
#include "support/allocation_count.hpp"
#include "support/request_maker.hpp"

using namespace rill;
using http::detail::request_access;
using test::request_maker;

namespace shop {

enum class color { red, green };

std::optional<color> from_text(std::string_view text, std::type_identity<color>) {
    if (text == "red") return color::red;
    if (text == "green") return color::green;
    return std::nullopt;
}

}  // namespace shop

namespace {

http::status refused_with(auto&& call) {
    try {
        static_cast<void>(call());
    } catch (http::problem const& p) {
        return p.status();
    }
    return http::status::ok;
}

constexpr std::array<std::string_view, 2> names{"id", "name"};

// As a router that matched "/{id}/{name}".
void bind_two(http::request& req) {
    std::string_view const path = *request_access::canonical_path(req);
    auto& parameters = request_access::parameters(req);
    auto const slash = static_cast<std::uint32_t>(path.find('/', 1));
    parameters.values[0] = {1, slash - 1};
    parameters.values[1] = {slash + 1, static_cast<std::uint32_t>(path.size()) - slash - 1};
    parameters.names = names.data();
    parameters.count = 2;
}

}  // namespace

static_assert(!std::is_copy_constructible_v<http::request>);
static_assert(!std::is_move_constructible_v<http::request>);
static_assert(http::readable_from_text<shop::color>);
static_assert(!http::readable_from_text<char const*>);

TEST_CASE("a target is split into path and query in all its forms") {
    // RFC 9112 section 3.2; RFC 3986 section 3.
    struct row {
        http::method method;
        char const* target;
        char const* path;
        char const* query;
    };
    for (row const& r : {
             row{http::method::get, "/", "/", ""},
             row{http::method::get, "/a/b?c=d?e", "/a/b", "c=d?e"},
             row{http::method::get, "/a?", "/a", ""},
             row{http::method::get, "//a", "//a", ""},
             row{http::method::options, "*", "*", ""},
             row{http::method::get, "http://host:80/a?b", "/a", "b"},
             row{http::method::get, "http://host", "/", ""},
             row{http::method::get, "http://host?x=1", "/", "x=1"},
             row{http::method::get, "/http://x/?u=http://y", "/http://x/", "u=http://y"},
             row{http::method::connect, "host:443", "", ""},
         }) {
        CAPTURE(r.target);
        request_maker made(r.method, r.target);
        CHECK(made.req.target() == r.target);
        CHECK(made.req.path() == r.path);
        CHECK(made.req.encoded_path() == r.path);
        CHECK(made.req.query() == r.query);
    }
}

TEST_CASE("a request that nobody filled is GET of the root") {
    http::request req;
    CHECK(req.method_text() == "GET");
    CHECK(req.path() == "/");
    CHECK(req.query().empty());
    CHECK(req.header("host").empty());
    CHECK(req.body().bytes().empty());
}

TEST_CASE("the path is decoded once, and plus stays plus") {
    // RFC 3986 section 2.1; case C045.
    request_maker made(http::method::get, "/50%25.png/a%252fb/c+d/%E4%B8%AD%20x");
    CHECK(made.req.path() == "/50%.png/a%2fb/c+d/\xe4\xb8\xad x");
    CHECK(made.req.path().data() == made.req.path().data());
    CHECK(made.req.encoded_path() == "/50%25.png/a%252fb/c+d/%E4%B8%AD%20x");
}

TEST_CASE("a percent sign without two digits is a 400") {
    for (char const* target : {"/%", "/%4", "/%zz", "/a%2", "/%%41"}) {
        CAPTURE(target);
        request_maker made(http::method::get, target);
        CHECK_FALSE(request_access::canonical_path(made.req).has_value());
        CHECK(refused_with([&] { return made.req.path(); }) == http::status::bad_request);
    }
}

TEST_CASE("the canonical path has one spelling and decodes to the same segments") {
    request_maker made(http::method::get, "/%61%2F%2f%25%2541/%7Eb");
    CHECK(*request_access::canonical_path(made.req) == "/a%2F%2F%25%2541/~b");
    request_maker plain(http::method::get, "/a/b");
    CHECK(request_access::canonical_path(plain.req)->data() == plain.req.encoded_path().data());
}

TEST_CASE("path parameters convert, and what is wrong is a 400 that names the parameter") {
    request_maker made(http::method::get, "/42/gr%65en");
    bind_two(made.req);
    CHECK(made.req.path<int>("id") == 42);
    CHECK(made.req.path<std::uint8_t>("id") == 42);
    CHECK(made.req.path<double>("id") == 42.0);
    CHECK(made.req.path("id") == "42");
    CHECK(made.req.path<std::string>("name") == "green");
    CHECK(made.req.path<shop::color>("name") == shop::color::green);
    CHECK(refused_with([&] { return made.req.path<int>("name"); }) == http::status::bad_request);
    try {
        static_cast<void>(made.req.path<int>("name"));
    } catch (http::problem const& p) {
        CHECK(p.detail().find("'name'") != std::string_view::npos);
    }
}

TEST_CASE("numbers are taken whole and in range or not at all") {
    for (char const* text : {"", "4x", " 4", "+4", "0x4", "4.5", "300", "-1", "4 "}) {
        CAPTURE(text);
        CHECK_FALSE(http::from_text(text, std::type_identity<std::uint8_t>{}).has_value());
    }
    CHECK(http::from_text("-7", std::type_identity<int>{}) == -7);
    CHECK(http::from_text("1", std::type_identity<bool>{}) == true);
    CHECK_FALSE(http::from_text("yes", std::type_identity<bool>{}).has_value());
}

TEST_CASE("an encoded slash stays inside its parameter") {
    // RFC 3986 section 2.2; case C045.
    request_maker made(http::method::get, "/a%2Fb/50%25");
    bind_two(made.req);
    CHECK(made.req.path("id") == "a/b");
    CHECK(made.req.encoded_path("id") == "a%2Fb");
    CHECK(made.req.path("name") == "50%");
}

TEST_CASE("query values are decoded as forms are") {
    // URL Standard section 5.1.
    request_maker made(http::method::get, "/?a=1&b=x+y%26z&&c&d=&a=2&%65=5&bad=100%&=q");
    http::request& req = made.req;
    CHECK(req.query<int>("a") == 1);
    CHECK(req.query("b") == "x y&z");
    CHECK(req.query("c").empty());
    CHECK(req.has_query("c"));
    CHECK(req.query("d").empty());
    CHECK(req.query("e") == "5");
    CHECK(req.query("bad") == "100%");
    CHECK(req.query("") == "q");
    CHECK_FALSE(req.has_query("f"));
    CHECK(req.query("f", 7) == 7);
    CHECK(refused_with([&] { return req.query("f"); }) == http::status::bad_request);
    CHECK(refused_with([&] { return req.query("b", 7); }) == http::status::bad_request);
}

TEST_CASE("a form in the body is read like a query") {
    request_maker made(http::method::post, "/add");
    request_access::set_body(made.req, "name=caf%C3%A9&n=3");
    CHECK(made.req.form("name") == "caf\xc3\xa9");
    CHECK(made.req.form<int>("n") == 3);
    CHECK(made.req.body().text() == "name=caf%C3%A9&n=3");
    CHECK(refused_with([&] { return made.req.form("word"); }) == http::status::bad_request);
}

TEST_CASE("all pairs of a query are walked over, decoded and in order, and those of one name") {
    request_maker made(http::method::get, "/?tag=a&x=%31+2&t%61g=b&&flag&tag=c%26d&=e&bad=%zz");
    http::request& req = made.req;
    std::string all;
    for (auto const& [name, value] : req.query_parameters()) {
        all.append(name).append("=").append(value) += ';';
    }
    CHECK(all == "tag=a;x=1 2;tag=b;flag=;tag=c&d;=e;bad=%zz;");
    std::string tags;
    for (http::parameter const& tag : req.query_parameters("tag")) {
        CHECK(tag.name == "tag");
        tags.append(tag.value) += ';';
    }
    CHECK(tags == "a;b;c&d;");
    CHECK(req.query_parameters("none").begin() == req.query_parameters().end());
    request_maker empty(http::method::get, "/?&&");
    CHECK(empty.req.query_parameters().begin() == empty.req.query_parameters().end());
}

TEST_CASE("behind a thousand pairs a query or a form is refused, whether one is sought or all") {
    std::string text;
    for (std::size_t i = 0; i + 1 < http::parameters::max_count; ++i) text += "a&";
    request_maker made(http::method::post, "/?" + text + "last=1");
    http::request& req = made.req;
    CHECK(req.query<int>("last") == 1);
    CHECK_FALSE(req.has_query("none"));
    std::size_t count = 0;
    for (auto const& each : req.query_parameters())
        if (!each.name.empty()) ++count;
    CHECK(count == http::parameters::max_count);
    std::string const more = text + "last=1&one=2";
    request_access::set_body(req, more);
    CHECK(req.form<int>("last") == 1);
    CHECK(refused_with([&] { return req.form<int>("one"); }) == http::status::bad_request);
    CHECK(refused_with([&] { return req.has_form("none"); }) == http::status::bad_request);
    CHECK(refused_with([&] {
              int last = 0;
              for (auto const& each : req.form_parameters()) last += each.value.empty() ? 0 : 1;
              return last;
          }) == http::status::bad_request);
}

TEST_CASE("a form has fallbacks, and names that are repeated or missing") {
    request_maker made(
        http::method::post, "/",
        {{"Host", "a"}, {"Content-Type", "Application/X-WWW-Form-URLencoded; charset=UTF-8"}});
    request_access::set_body(made.req, "c=red&c=gr%65en&n=x");
    http::request& req = made.req;
    CHECK(req.has_form("c"));
    CHECK_FALSE(req.has_form("d"));
    CHECK(req.form("m", 7) == 7);
    CHECK(refused_with([&] { return req.form("n", 7); }) == http::status::bad_request);
    std::string colors;
    for (auto const& each : req.form_parameters("c")) colors.append(each.value) += ';';
    CHECK(colors == "red;green;");
}

TEST_CASE("content of another type is no form: 415, unless there is none") {
    // RFC 9110 sections 8.3 and 15.5.16.
    for (std::string_view const type :
         {"application/json", "multipart/form-data; boundary=x", "application/x-www-form-urlencode",
          "form", "/", "text/plain2"}) {
        CAPTURE(type);
        request_maker made(http::method::post, "/", {{"Host", "a"}, {"Content-Type", type}});
        CHECK_FALSE(made.req.has_form("a"));
        request_access::set_body(made.req, "a=1");
        auto const refused = http::status::unsupported_media_type;
        CHECK(refused_with([&] { return made.req.form("a"); }) == refused);
        CHECK(refused_with([&] { return made.req.form("a", 1); }) == refused);
        CHECK(refused_with([&] { return made.req.has_form("a"); }) == refused);
        CHECK(refused_with([&] { return made.req.form_parameters().begin()->name; }) == refused);
    }
    request_maker plain(http::method::post, "/", {{"Host", "a"}, {"Content-Type", "text/plain"}});
    request_access::set_body(plain.req, "a=1");
    CHECK(plain.req.form<int>("a") == 1);
}

TEST_CASE("fields are found without case and walked over in order") {
    request_maker made(http::method::get, "/",
                       {{"Host", "example"}, {"Accept", "a"}, {"accept", "b"}, {"X-Empty", ""}});
    CHECK(made.req.header("hOST") == "example");
    CHECK(made.req.header("Accept") == "a");
    CHECK(made.req.has_header("x-empty"));
    CHECK_FALSE(made.req.has_header("hos"));
    std::string seen;
    for (http::field const f : made.req.headers())
        seen.append(f.name).append("=").append(f.value) += ';';
    CHECK(seen == "Host=example;Accept=a;accept=b;X-Empty=;");
}

TEST_CASE("names compare without case for letters and for letters only") {
    CHECK(http::same_name("Content-Type", "content-tYPE"));
    CHECK_FALSE(http::same_name("a@", "a`"));
    CHECK_FALSE(http::same_name("[", "{"));
    CHECK_FALSE(http::same_name("-", "\r"));
    CHECK_FALSE(http::same_name("a", "ab"));
}

TEST_CASE("views follow a head that was copied, encoded paths too") {
    for (char const* target : {"/12/abc?q=%31", "/%312/abc?q=1"}) {
        CAPTURE(target);
        request_maker made(http::method::put, target, {{"Host", "example"}});
        bind_two(made.req);
        made.move_head();
        CHECK(made.req.method_text() == "PUT");
        CHECK(made.req.target() == target);
        CHECK(made.req.path() == "/12/abc");
        CHECK(made.req.path<int>("id") == 12);
        CHECK(made.req.path("name") == "abc");
        CHECK(made.req.query<int>("q") == 1);
        CHECK(made.req.header("host") == "example");
    }
}

TEST_CASE("a few encoded characters need no allocation, and many are right too") {
    request_maker made(http::method::get, "/a%20b/c?d=%31&e=" + std::string(500, '+'));
    std::size_t const before = test::allocation_count();
    bind_two(made.req);
    CHECK(made.req.path() == "/a b/c");
    CHECK(made.req.path("id") == "a b");
    CHECK(made.req.query<int>("d") == 1);
    CHECK(test::allocation_count() == before);
    std::string_view const spaces = made.req.query("e");
    CHECK(test::allocation_count() <= before + 1);  // none where the pool of frames has it
    CHECK(spaces == std::string(500, ' '));
    made.begin_again();
    CHECK(made.req.path() == "/a b/c");
    CHECK(made.req.query<int>("d") == 1);
}
