// Forms with files, read while they arrive. RFC 7578; cases C029 and C031.
#include "rill/http/multipart.hpp"

#include <doctest/doctest.h>

#include <string>

#include "rill/web/call.hpp"
#include "rill/web/router.hpp"
#include "support/sim.hpp"

using namespace rill;
using web::call_request;

namespace {

constexpr std::string_view two_parts =
    "--XX\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nmy file\r\n"
    "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a.txt\"\r\n"
    "Content-Type: text/csv\r\n\r\n1\r\n--X\r\n2\r\n--XX--\r\n";

task<std::string> show(http::streaming_request& req) {
    std::string all;
    http::multipart_reader form(req, {.parts = 2, .part_bytes = 10});
    while (auto* part = co_await form.next()) {
        all.append(part->name()).append("|").append(part->filename().value_or("no file"));
        all.append("|").append(part->content_type()).append("|");
        while (auto const piece = co_await part->read()) all += piece.text();
        auto const again = co_await part->read();
        all += again ? "?\n" : "\n";
    }
    auto const* const none = co_await form.next();
    co_return all + (none == nullptr ? "end" : "?");
}

task<std::string> names(http::streaming_request& req) {
    std::string all;
    http::multipart_reader form(req);
    while (auto* part = co_await form.next()) all.append(part->name()) += ';';
    co_return all;
}

task<std::string> title(http::streaming_request& req) {
    http::multipart_reader form(req);
    auto* const part = co_await form.next();
    std::string text = co_await part->text(7);
    co_return text;
}

void fill(web::router& app) {
    app.post("/show", show);
    app.post("/names", names);
    app.post("/title", title);
}

call_request form(std::string_view path, std::string_view body, std::size_t pieces,
                  std::string_view type = "multipart/form-data; boundary=XX") {
    call_request made(http::method::post, path);
    made.field("content-type", type).body(std::string(body)).pieces(pieces);
    return made;
}

}  // namespace

TEST_CASE("the parts of a form are read one after the other, in pieces of any size (C029)") {
    test::simulate([]() -> task<> {
        web::router app;
        fill(app);
        for (std::size_t pieces = 0; pieces < two_parts.size(); ++pieces) {
            auto const request = form("/show", two_parts, pieces);
            auto const answer = co_await app.call(request);
            CAPTURE(pieces);
            CHECK(answer.text() ==
                  "title|no file|text/plain|my file\n"
                  "file|../a.txt|text/csv|1\r\n--X\r\n2\nend");
        }
    });
}

TEST_CASE("what is left of a part is dropped when the next is asked for") {
    test::simulate([]() -> task<> {
        web::router app;
        fill(app);
        for (std::size_t const pieces : {0U, 1U, 5U}) {
            auto const request = form("/names", two_parts, pieces);
            auto const answer = co_await app.call(request);
            CHECK(answer.text() == "title;file;");
        }
    });
}

TEST_CASE("a form that is malformed, too large or no form is answered with what it is") {
    struct row {
        std::string_view path;
        std::string_view body;
        unsigned status;
        std::string_view type = "multipart/form-data; boundary=XX";
    };
    static constexpr row rows[] = {
        {"/show", two_parts.substr(0, 40), 400},    // no end
        {"/names", two_parts.substr(0, 130), 400},  // no end in what is dropped
        {"/show", "", 400},
        {"/show", "--XX\r\n", 400},
        {"/show", "--XXjunk", 400},
        {"/names", "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n12345678901\r\n--XX--",
         200},
        {"/show", "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n12345678901\r\n--XX--",
         413},
        {"/title", two_parts, 200},
        {"/title", "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n12345678\r\n--XX--", 413},
        {"/show", two_parts, 415, "application/x-www-form-urlencoded"},
        {"/show", two_parts, 415, "multipart/mixed; boundary=XX"},
        {"/show", two_parts, 400, "multipart/form-data"},
        {"/show", two_parts, 400, "multipart/form-data; boundary=\"XX"},
    };
    test::simulate([]() -> task<> {
        web::router app;
        fill(app);
        for (row const& one : rows) {
            for (std::size_t const pieces : {0U, 1U}) {
                auto const request = form(one.path, one.body, pieces, one.type);
                auto const answer = co_await app.call(request);
                CAPTURE(one.body);
                CAPTURE(one.type);
                CHECK(http::code_of(answer.status()) == one.status);
            }
        }
        auto const missing = co_await app.call(call_request(http::method::post, "/show"));
        CHECK(missing.status() == http::status::unsupported_media_type);
    });
}
