// JSON answers and bodies. RFC 8259, RFC 6901 (pointers), RFC 9457 (problems).
#include "rill/json.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "support/request_maker.hpp"

using namespace rill;
using test::request_maker;

namespace shop {

struct item {
    std::string name;
    int count = 0;
};
struct order {
    int id = 0;
    std::vector<item> items;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(item, name, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(order, id, items)

}  // namespace shop

namespace {

// A body that is read as an order, and the problem that it gives.
nlohmann::json refusal_of(std::string_view text, std::string_view type = "application/json") {
    request_maker made(http::method::post, "/", {{"Host", "a"}, {"Content-Type", type}});
    http::detail::request_access::set_body(made.req, text);
    try {
        static_cast<void>(read_json<shop::order>(made.req));
    } catch (http::problem const& why) {
        return nlohmann::json::parse(why.json());
    }
    return nullptr;
}

}  // namespace

TEST_CASE("values, containers and types of one's own become answers of JSON") {
    http::response const answer = json(shop::order{7, {{"tea", 2}}});
    CHECK(answer.text() == R"({"id":7,"items":[{"count":2,"name":"tea"}]})");
    CHECK(answer.content_type() == "application/json");
    CHECK(answer.status() == http::status::ok);
    CHECK(json(std::map<std::string, int>{{"a", 1}}, http::status::created).status() ==
          http::status::created);
    CHECK(json(nlohmann::json{{"a", {1, nullptr, true}}}).text() == R"({"a":[1,null,true]})");
    CHECK(json(std::string("\xff\"\n")).text() == "\"\xef\xbf\xbd\\\"\\n\"");
}

TEST_CASE("a body is read as a value of the library or a type of one's own") {
    request_maker made(http::method::post, "/",
                       {{"Host", "a"}, {"Content-Type", "application/vnd.shop+json; v=1"}});
    constexpr std::string_view text = R"({"id": 7, "items": [{"name": "tea", "count": 2}]})";
    http::detail::request_access::set_body(made.req, text);
    CHECK(read_json(made.req)["items"][0]["name"] == "tea");
    auto const order = read_json<shop::order>(made.req);
    CHECK(order.id == 7);
    CHECK(order.items.at(0).name == "tea");
}

TEST_CASE("a body that is malformed is a 400 that names line, column and byte") {
    auto const place = [](std::string_view text) {
        auto const refused = refusal_of(text);
        REQUIRE(refused["status"] == 400);
        return std::to_string(refused["line"].get<int>()) + ':' +
               std::to_string(refused["column"].get<int>()) + ' ' +
               std::to_string(refused["byte"].get<int>());
    };
    CHECK(place("{\n  \"id\": 7,\n  \"items\": oops\n}") == "3:12 24");
    CHECK(place("]") == "1:1 0");
    CHECK(place("") == "1:1 0");
    CHECK(place("{\"id\": 7") == "1:9 8");
    CHECK(place("{} {}") == "1:4 3");
    CHECK(place("{\"id\": \"\xff\"}") == "1:9 8");
    CHECK(refusal_of("[1,]")["detail"] == "the JSON is malformed at line 1, column 4");
}

TEST_CASE("a member that is missing or of another type is named by its pointer") {
    auto const wrong =
        refusal_of(R"({"id": 7, "items": [{"name": "a", "count": 1}, {"name": 5, "count": 1}]})");
    CHECK(wrong["status"] == 400);
    CHECK(wrong["pointer"] == "/items/1/name");
    CHECK(wrong["detail"] == "the JSON member /items/1/name: type must be string, but is number");
    auto const missing = refusal_of(R"({"id": 7, "items": [{"name": "a"}]})");
    CHECK(missing["pointer"] == "/items/0/count");
    CHECK(missing["detail"] == "the JSON member /items/0/count: is missing");
    CHECK(refusal_of("{}")["pointer"] == "/id");
    CHECK(refusal_of("[]")["status"] == 400);
}

TEST_CASE("a body is nested 64 deep at most, unless the call says else") {
    auto const nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    request_maker made(http::method::post, "/",
                       {{"Host", "a"}, {"Content-Type", "application/json"}});
    auto const is_read = [&](std::string const& text, std::size_t depth) {
        http::detail::request_access::set_body(made.req, text);
        try {
            return read_json(made.req, depth).is_array();
        } catch (http::problem const& why) {
            CHECK(why.detail().starts_with("the JSON is nested too deep at line 1"));
            return false;
        }
    };
    CHECK(is_read(nested(64), json_depth));
    CHECK_FALSE(is_read(nested(65), json_depth));
    CHECK_FALSE(is_read(nested(1'000'000), json_depth));
    CHECK_FALSE(is_read("[[]]", 1));
    CHECK(is_read(R"(["[[[[\"[[["])", 1));
    CHECK(is_read("[" + std::string(30, ' ') + "[],[],[{}]]", 3));
}

TEST_CASE("content of another type, or of none, is no JSON: 415") {
    for (std::string_view const type :
         {"text/plain", "", "application/jsonp", "json", "+json", "a/+jsonx"}) {
        CAPTURE(type);
        CHECK(refusal_of("{}", type)["status"] == 415);
    }
    CHECK(refusal_of("{}", "APPLICATION/JSON; charset=utf-8")["status"] == 400);
}
