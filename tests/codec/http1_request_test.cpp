// What a parsed request head tells (RFC 9112 sections 3, 5 and 9).
#include "rill/codec/http1_request.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/head_pieces.hpp"

using namespace std::literals;
using namespace rill::http1;
using rill::testing::parse_in_every_way;
using rill::testing::parsed_head;

TEST_CASE("a parsed head gives every part as it was sent") {
    // RFC 9112 sections 3 and 5.
    parsed_head const head(
        "\r\nPOST /a/b?c=d HTTP/1.1\r\nHost: h:81\r\nX-Two:  one\t\r\ncOOkie: k=v\r\n"
        "x-two: two\r\nContent-Length: 5\r\n\r\nhelloGET");
    CHECK(head.outcome.size == head.bytes_of_head.size() - "helloGET"sv.size());
    CHECK(head->size() == head.outcome.size);
    CHECK(head->method() == method::post);
    CHECK(head->method_text() == "POST");
    CHECK(head->target() == "/a/b?c=d");
    CHECK(head->form() == target_form::origin);
    CHECK(head->path() == "/a/b");
    CHECK(head->query() == "c=d");
    CHECK(head->minor_version() == 1);
    CHECK(head->host() == "h:81");
    CHECK(head->content_length() == 5);
    CHECK(head->framing().kind == body_framing::by::length);
    CHECK(head->framing().length == 5);
    CHECK_FALSE(head->chunked());
    CHECK(head->keep_alive());
    CHECK(head->find(known_field::cookie) == "k=v");
    CHECK(head->find("COOKIE") == "k=v");
    CHECK(head->find("x-TWO") == "one");
    CHECK(head->find("absent").data() == nullptr);
    CHECK(head->find(known_field::range).data() == nullptr);
    std::vector<std::string> lines;
    for (field const line : head->fields()) {
        lines.push_back(std::string(line.name) + "=" + std::string(line.value));
    }
    CHECK(lines == std::vector<std::string>{"Host=h:81", "X-Two=one", "cOOkie=k=v", "x-two=two",
                                            "Content-Length=5"});
    std::size_t const second = head->fields().find_from("X-Two", 2);
    REQUIRE(second == 3);
    CHECK(head->fields()[second].value == "two");
    CHECK(head->fields().find_from("X-Two", 4) == field_table::not_found);
}

TEST_CASE("a head that was copied elsewhere is read there after a rebase") {
    parsed_head head("GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n");
    std::string const copy = head.bytes_of_head;
    head.parser.head().rebase(copy.data());
    head.bytes_of_head.assign(head.bytes_of_head.size(), '#');
    CHECK(head->path() == "/a");
    CHECK(head->query() == "b");
    CHECK(head->host() == "h");
    CHECK(head->fields()[0].name == "Host");
}

TEST_CASE("the target says the host and the path where it is not in origin form") {
    // RFC 9112 sections 3.2.2 to 3.2.4.
    parsed_head const absolute("GET HTTP://b:81/x?y HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(absolute->form() == target_form::absolute);
    CHECK(absolute->host() == "b:81");
    CHECK(absolute->path() == "/x");
    CHECK(absolute->query() == "y");
    parsed_head const no_path("GET http://b?y HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(no_path->host() == "b");
    CHECK(no_path->path() == "/");
    CHECK(no_path->query() == "y");
    parsed_head const all_of_b("OPTIONS http://b HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(all_of_b->path() == "*");
    parsed_head const asterisk("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(asterisk->form() == target_form::asterisk);
    CHECK(asterisk->path() == "*");
    CHECK(asterisk->host() == "a");
    parsed_head const connect("CONNECT b:443 HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(connect->form() == target_form::authority);
    CHECK(connect->host() == "b:443");
    CHECK(connect->path().empty());
}

TEST_CASE("a connection is kept by the version's default and by what Connection lists") {
    // RFC 9112 section 9.3.
    auto const kept = [](std::string const& version, std::string const& lines) {
        return parsed_head("GET / HTTP/" + version + "\r\nHost: a\r\n" + lines + "\r\n")
            ->keep_alive();
    };
    CHECK(kept("1.1", ""));
    CHECK_FALSE(kept("1.0", ""));
    CHECK(kept("1.0", "Connection: keep-alive\r\n"));
    CHECK(kept("1.0", "Connection: Foo ,\tKeep-Alive\r\n"));
    CHECK_FALSE(kept("1.1", "Connection: close\r\n"));
    CHECK_FALSE(kept("1.1", "Connection: close\t\r\n"));
    CHECK_FALSE(kept("1.1", "Connection: keep-alive, CLOSE\r\n"));
    CHECK_FALSE(kept("1.1", "Connection: keep-alive\r\nConnection: close\r\n"));
    CHECK_FALSE(kept("1.0", "Connection: keep-alive\r\nX: y\r\nConnection: ,close,\r\n"));
    CHECK(kept("1.1", "Connection: closed\r\n"));
    CHECK(kept("1.1", "Proxy-Connection: close\r\n"));
    CHECK_FALSE(kept("1.0", "Proxy-Connection: keep-alive\r\n"));
}

TEST_CASE("Expect asks for 100 only on HTTP/1.1 and before a body") {
    // RFC 9110 section 10.1.1.
    std::string const modern = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ";
    CHECK(parsed_head(modern + "1\r\nExpect: 100-Continue\r\n\r\n")->expect_continue());
    CHECK_FALSE(parsed_head(modern + "0\r\nExpect: 100-continue\r\n\r\n")->expect_continue());
    CHECK(parse_in_every_way(modern + "1\r\nExpect: foo\r\n\r\n").status == 417);
    std::string const old = "POST / HTTP/1.0\r\nContent-Length: 1\r\n";
    CHECK_FALSE(parsed_head(old + "Expect: 100-continue\r\n\r\n")->expect_continue());
    CHECK_FALSE(parsed_head(old + "Expect: foo\r\n\r\n")->expect_continue());
}

TEST_CASE("an upgrade is offered by both fields together, and not on HTTP/1.0") {
    // RFC 9110 section 7.8.
    parsed_head const offer(
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n"
        "Upgrade: foo/1, WebSocket\r\n\r\nbytes of the other protocol");
    CHECK(offer->upgrade());
    CHECK(offer->upgrades_to("websocket"));
    CHECK(offer->upgrades_to("h2c"));
    CHECK_FALSE(offer->upgrades_to("foo"));
    CHECK_FALSE(parsed_head("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n")->upgrade());
    CHECK_FALSE(parsed_head("GET / HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
                    ->upgrades_to("websocket"));
}

TEST_CASE("a method without a name here keeps its text, and case matters") {
    // RFC 9110 section 9.1; C014.
    parsed_head const brew("BREW / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(brew->method() == method::other);
    CHECK(brew->method_text() == "BREW");
    CHECK(parsed_head("get / HTTP/1.1\r\nHost: a\r\n\r\n")->method() == method::other);
    CHECK(parsed_head("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n")->method() == method::delete_);
}

TEST_CASE("pipelined heads are parsed one after another and nothing of one stays in the next") {
    // RFC 9112 section 9.3.2.
    std::string const both =
        "POST http://b/x?y HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n"
        "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
        "GET / HTTP/1.0\r\n\r\n";
    request_parser parser;
    head_result const first = parser.parse(rill::bytes(both));
    REQUIRE(first.state == head_state::complete);
    CHECK(parser.head().chunked());
    parser.reset();
    head_result const second = parser.parse(rill::bytes(both).without_first(first.size));
    REQUIRE(second.state == head_state::complete);
    request_head const& head = parser.head();
    CHECK(second.size == both.size() - first.size);
    CHECK(head.framing().kind == body_framing::by::nothing);
    CHECK(head.fields().size() == 0);
    CHECK_FALSE(head.upgrade());
    CHECK_FALSE(head.expect_continue());
    CHECK_FALSE(head.keep_alive());
    CHECK(head.host().empty());
    CHECK(head.query().empty());
}

TEST_CASE("a parser that has decided repeats itself until it is reset") {
    request_parser parser;
    CHECK(parser.parse("bad\r\n").status == 400);
    CHECK(parser.parse("GET / HTTP/1.0\r\n\r\n").status == 400);
    parser.reset();
    CHECK(parser.parse("GET / HTTP/1.0\r\n\r\n").size == 18);
    CHECK(parser.parse("GET / HTTP/1.0\r\n\r\nmore").size == 18);
}

TEST_CASE("a head knows a field by its name in any case, and by nothing that is close to it") {
    // Every known name with each of its bytes replaced by each other one.
    request_parser parser;
    for (std::size_t i = 0; i < known_field_count; ++i) {
        std::string const known(name_of(static_cast<known_field>(i)));
        for (std::size_t at = 0; at < known.size(); ++at) {
            for (unsigned byte = 0; byte < 256; ++byte) {
                if (byte == ':') continue;
                std::string name = known;
                name[at] = static_cast<char>(byte);
                std::string const head = "GET / HTTP/1.0\r\n" + name + ": chunked\r\n\r\n";
                parser.reset();
                bool const accepted = parser.parse(rill::bytes(head)).state == head_state::complete;
                if (!is_token(name)) CHECK_FALSE(accepted);
                if (!accepted) continue;
                known_field const which = find_known_field(name);
                for (std::size_t other = 0; other < known_field_count; ++other) {
                    auto const one = static_cast<known_field>(other);
                    if (parser.head().fields().has(one) != (one == which)) FAIL_CHECK(name);
                }
            }
        }
    }
}

TEST_CASE("a field line of any length is read as it is, with any byte that a value may hold") {
    // The reader looks at many bytes at once: names and values of every size, at every distance
    // from the end of the memory.
    for (std::size_t name_size = 1; name_size <= 40; ++name_size) {
        for (std::size_t value_size = 0; value_size <= 70; ++value_size) {
            std::string const name(name_size, 'n');
            std::string value(value_size, 'v');
            if (value_size > 2) value[value_size / 2] = "\t\x80: "[value_size % 4];
            std::string const text =
                "GET /p?q HTTP/1.1\r\n" + name + ": " + value + "\r\nHost: a:1\r\n\r\n";
            std::unique_ptr<char[]> const copy(new char[text.size()]);
            text.copy(copy.get(), text.size());
            request_parser parser;
            REQUIRE(parser.parse(rill::bytes(std::string_view(copy.get(), text.size()))).size ==
                    text.size());
            CHECK(parser.head().find(name) == value);
            CHECK(parser.head().host() == "a:1");
        }
    }
}

TEST_CASE("a byte that no field line may hold is refused at every place of a head") {
    std::string const start = "GET / HTTP/1.1\r\n";
    std::string const lines = "Host: a:1\r\n" + std::string(60, 'n') + ":" + std::string(70, 'v') +
                              "\r\nAccept:\t*/*;x=\":\"\r\n\r\n";
    for (std::size_t at = 0; at < lines.size() - 4; ++at) {
        if (lines[at] == '\r' || lines[at] == '\n') continue;
        for (char const odd : {'\0', '\n', '\r', '\x1f', '\x7f'}) {
            std::string text = start + lines;
            text[start.size() + at] = odd;
            head_result const outcome = parse_in_every_way(text);
            CHECK_MESSAGE(outcome.state == head_state::failed, at, " ", int{odd});
        }
    }
}
