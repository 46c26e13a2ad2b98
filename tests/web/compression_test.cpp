// Answers that are compressed, and those that are not. RFC 9110 sections 8.4, 8.8.3.3 and 12.5.3.
#include "rill/web/middleware/compression.hpp"

#include <doctest/doctest.h>

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/compressor.hpp"
#include "rill/base/error.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/coro/event.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/web/files.hpp"
#include "rill/web/middleware/etag.hpp"
#include "rill/web/middleware/response_cache.hpp"
#include "rill/web/router.hpp"
#include "rill/web/sse.hpp"
#include "support/inflate.hpp"
#include "support/refusal.hpp"
#include "support/sim.hpp"

using namespace rill;
using http::method;
using web::call_request;

namespace {

std::string text_of(std::size_t size) {
    std::string text;
    while (text.size() < size) text += "line " + std::to_string(text.size()) + "\n";
    text.resize(size);
    return text;
}

std::vector<std::string_view> built_in() {
    std::vector<std::string_view> all;
    for (auto const each :
         {codec::content_coding::zstd, codec::content_coding::br, codec::content_coding::gzip}) {
        if (codec::is_built_in(each)) all.push_back(codec::name_of(each));
    }
    return all;
}

task<http::response> get(web::router& app, std::string_view path, std::string_view accepts) {
    co_return co_await app.call(call_request(method::get, path).field("accept-encoding", accepts));
}

std::string_view coding_of(http::response const& answer) {
    return answer.headers().get("content-encoding");
}

}  // namespace

TEST_CASE("an answer comes in the coding that the client wants most") {
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::compression());
        std::string const text = text_of(5000);
        app.get("/", [&text] { return text; });
        for (std::string_view const each : built_in()) {
            CAPTURE(each);
            auto const answer = co_await get(app, "/", "*;q=0.1, " + std::string(each) + ";q=0.9");
            CHECK(coding_of(answer) == each);
            CHECK(answer.headers().get("vary") == "accept-encoding");
            CHECK(answer.text().size() < 2000);
            bool const same = test::inflated(each, answer.text()) == text;
            CHECK(same);
        }
        auto const any = co_await get(app, "/", "gzip, deflate, br, zstd");
        CHECK((built_in().empty() || coding_of(any) == built_in().front()));
        for (std::string_view const none :
             {"", "identity", "deflate", "gzip;q=0, br;q=0, zstd;q=0", "*;q=0.5, identity;q=1",
              "identity;q=1, gzip;q=0.4, br;q=0.4, zstd;q=0.4"}) {
            CAPTURE(none);
            auto const answer = co_await get(app, "/", none);
            bool const as_it_is = coding_of(answer).empty() && answer.text() == text;
            CHECK((as_it_is || (none.starts_with("*") && !built_in().empty())));
            CHECK(answer.headers().get("vary") == "accept-encoding");
        }
    });
}

TEST_CASE("what is small, no text, a part, compressed already or not to be changed stays") {
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::compression({.least_bytes = 100}));
        std::string const text = text_of(100);
        auto const with = [&text](std::string_view name, std::string_view value) {
            return [&text, name, value] {
                auto answer = http::text(text);
                answer.headers().set(name, value);
                return answer;
            };
        };
        app.get("/bound", [&text] { return text; });
        app.get("/small", [&text] { return text.substr(1); });
        app.get("/empty", [] { return http::status::no_content; });
        app.get("/part", [&text] {
            return http::content(text, http::content_types::text, http::status::partial_content);
        });
        app.get("/noise", [] {
            std::string noise;
            for (unsigned i = 0; i < 200; ++i) noise += static_cast<char>(i * i * 7919 >> 3);
            return noise;
        });
        app.get("/image", with("content-type", "image/png"));
        app.get("/coded", with("content-encoding", "gzip"));
        app.get("/range", with("content-range", "bytes 0-99/200"));
        app.get("/digest", with("repr-digest", "sha-256=:AA==:"));
        app.get("/fixed", with("cache-control", "max-age=1, no-transform"));
        app.get("/svg", with("content-type", "IMAGE/SVG+XML; charset=utf-8"));
        app.get("/problem", with("content-type", "application/problem+json"));
        for (char const* const path : {"/bound", "/svg", "/problem"}) {
            CAPTURE(path);
            auto const answer = co_await get(app, path, "gzip");
            CHECK((built_in().empty() || coding_of(answer) == "gzip"));
        }
        for (char const* const path :
             {"/small", "/empty", "/part", "/image", "/range", "/digest", "/fixed", "/noise"}) {
            CAPTURE(path);
            auto const answer = co_await get(app, path, "gzip");
            CHECK(coding_of(answer).empty());
        }
        auto const coded = co_await get(app, "/coded", "gzip, br");
        CHECK(coding_of(coded) == "gzip");
        CHECK(coded.text() == text);
    });
}

TEST_CASE("a tag becomes weak where the bytes have changed, also that of 304") {
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::compression()).use(web::etag());
        app.get("/", [] { return text_of(3000); });
        auto const plain = co_await get(app, "/", "identity");
        std::string const tag(plain.headers().get("etag"));
        CHECK(tag.starts_with('"'));
        if (built_in().empty()) co_return;
        auto const small = co_await get(app, "/", "gzip");
        CHECK(small.headers().get("etag") == "W/" + tag);
        auto const again = co_await app.call(call_request(method::get, "/")
                                                 .field("accept-encoding", "gzip")
                                                 .field("if-none-match", "W/" + tag));
        CHECK(again.status() == http::status::not_modified);
        CHECK(again.headers().get("etag") == "W/" + tag);
        CHECK(coding_of(again).empty());
    });
}

TEST_CASE("large bodies, files and streams are compressed while they are sent") {
    test::simulate([]() -> task<> {
        std::string const text = text_of(300'000);
        web::router app;
        app.use(web::compression());
        app.get("/large", [&text] { return text; });
        app.get("/shared", [shared = std::make_shared<std::string const>(text)] {
            return http::content(shared, http::content_types::text);
        });
        app.get("/stream", [&text] {
            return http::stream(
                [&text](http::body_writer& out) -> task<> {
                    co_await out.write(bytes(std::string_view(text).substr(0, 100)));
                    co_await out.write({});
                    co_await out.write(bytes(std::string_view(text).substr(100)));
                },
                http::content_types::text);
        });
        for (char const* const path : {"/large", "/shared", "/stream"}) {
            for (std::string_view const each : built_in()) {
                CAPTURE(path);
                CAPTURE(each);
                auto const answer = co_await get(app, path, each);
                CHECK(coding_of(answer) == each);
                CHECK(answer.text().size() < text.size() / 2);
                bool const same = test::inflated(each, answer.text()) == text;
                CHECK(same);
            }
        }
        auto const head = co_await app.call(
            call_request(method::head, "/large").field("accept-encoding", "gzip"));
        CHECK((built_in().empty() || coding_of(head) == "gzip"));
        CHECK(head.text().empty());
    });
}

TEST_CASE("an event can be read as soon as it is sent") {
    test::simulate([]() -> task<> {
        if (built_in().empty()) co_return;
        web::router app;
        app.use(web::compression());
        app.get("/", [](http::request& req) {
            return web::sse(req, [](web::event_sink& out) -> task<> {
                co_await out.send("one");
                co_await out.send("two");
            });
        });
        auto const answer = co_await get(app, "/", "gzip");
        CHECK(coding_of(answer) == "gzip");
        // Each piece ends at the mark of a flush; the first is a comment that opens the stream.
        std::string_view const sent = answer.text();
        constexpr std::string_view mark("\0\0\xff\xff", 4);
        std::size_t end = 0;
        for (std::string_view const wanted : {":\n\n", ":\n\ndata: one\n\n"}) {
            end = sent.find(mark, end);
            REQUIRE(end != sent.npos);
            end += mark.size();
            CHECK(test::inflated("gzip", sent.substr(0, end), false).value_or("?") == wanted);
        }
        CHECK(test::inflated("gzip", sent).value_or("?") == ":\n\ndata: one\n\ndata: two\n\n");
    });
}

TEST_CASE("a file is compressed while it is sent, but not a part of it") {
    auto name = (std::filesystem::temp_directory_path() / "rill-compression-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    std::string const text = text_of(300'000);
    std::ofstream(name + "/a.txt") << text;
    auto body = [&]() -> task<> {
        web::router app;
        app.use(web::compression());
        app.get("/{path...}", web::files(name));
        for (std::string_view const each : built_in()) {
            CAPTURE(each);
            auto const answer = co_await get(app, "/a.txt", each);
            CHECK(coding_of(answer) == each);
            CHECK(answer.headers().get("etag").starts_with("W/"));
            CHECK_FALSE(answer.headers().contains("accept-ranges"));
            bool const same = test::inflated(each, answer.text()) == text;
            CHECK(same);
        }
        auto const part = co_await app.call(call_request(method::get, "/a.txt")
                                                .field("accept-encoding", "gzip, br, zstd")
                                                .field("range", "bytes=5-2004"));
        CHECK(part.status() == http::status::partial_content);
        CHECK(coding_of(part).empty());
        CHECK(part.text() == text.substr(5, 2000));
    };
    test::run_in(test::world::epoll, body, {});
    std::filesystem::remove_all(name);
}

TEST_CASE("no more streams are compressed at once than the bound, and places come back") {
    test::simulate([]() -> task<> {
        if (built_in().empty()) co_return;
        web::router app;
        app.use(web::compression({.most_streams = 1}));
        event go_on;
        app.get("/held", [&go_on] {
            return http::stream(
                [&go_on](http::body_writer& out) -> task<> {
                    co_await go_on.wait();
                    co_await out.write("text");
                },
                http::content_types::text);
        });
        app.get("/fails", [] {
            return http::stream(
                [](http::body_writer& out) -> task<> {
                    co_await out.write("text");
                    throw error(errc::closed, "make a body");
                },
                http::content_types::text);
        });
        std::vector<std::string> codings;
        auto const ask = [&]() -> task<> {
            auto const answer = co_await get(app, "/held", "gzip");
            codings.emplace_back(coding_of(answer));
        };
        auto const let_go = [&]() -> task<> {
            co_await yield();
            go_on.set();
        };
        co_await when_all(ask(), ask(), let_go());
        std::sort(codings.begin(), codings.end());
        CHECK(codings == std::vector<std::string>{"", "gzip"});
        for (int i = 0; i < 3; ++i) {
            auto const failed = co_await as_result(get(app, "/fails", "gzip"));
            CHECK_FALSE(failed);
        }
        auto const again = co_await get(app, "/held", "gzip");
        CHECK(coding_of(again) == "gzip");
    });
}

TEST_CASE("a cache outside of it keeps an answer for each coding") {
    test::simulate([]() -> task<> {
        if (built_in().empty()) co_return;
        int calls = 0;
        web::router app;
        app.use(web::response_cache()).use(web::compression());
        app.get("/", [&calls] {
            ++calls;
            auto answer = http::text(text_of(3000));
            answer.headers().set("cache-control", "max-age=60");
            return answer;
        });
        for (int i = 0; i < 2; ++i) {
            auto const small = co_await get(app, "/", "gzip");
            CHECK(coding_of(small) == "gzip");
            bool const same = test::inflated("gzip", small.text()) == text_of(3000);
            CHECK(same);
            auto const plain = co_await get(app, "/", "identity");
            CHECK(coding_of(plain).empty());
            bool const as_made = plain.text() == text_of(3000);
            CHECK(as_made);
        }
        CHECK(calls == 2);
    });
}

TEST_CASE("a level that no coding has is refused, and 0 leaves one out") {
    CHECK(test::refusal([] { web::compression({.gzip_level = 10}); }).find("0 leaves it out") !=
          std::string::npos);
    CHECK(test::refusal([] { web::compression({.brotli_quality = 12}); }) != "");
    CHECK(test::refusal([] { web::compression({.zstd_level = -1}); }) != "");
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::compression({.gzip_level = 0, .brotli_quality = 0, .zstd_level = 0}));
        app.get("/", [] { return text_of(3000); });
        auto const answer = co_await get(app, "/", "gzip, br, zstd");
        CHECK(coding_of(answer).empty());
    });
}
