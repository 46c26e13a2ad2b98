// Joins the parser of forms with files to the content of a request.
#include "rill/http/multipart.hpp"

#include <utility>

#include "rill/http/problem.hpp"

namespace rill::http {

namespace {

codec::multipart_parser parser_for(streaming_request const& req, multipart_limits const& limits) {
    std::string_view const type = req.header("content-type");
    if (!http1::equal_ignoring_case(http1::media_type_of(type), "multipart/form-data")) {
        throw problem(status::unsupported_media_type,
                      "the form is to be sent as multipart/form-data");
    }
    auto const boundary = codec::multipart_boundary(type);
    if (!boundary) throw problem(status::bad_request, "the form has no boundary, or a wrong one");
    auto const or_none = [](std::uint64_t bound) { return bound == 0 ? ~std::uint64_t{0} : bound; };
    return {*boundary,
            {.parts = limits.parts,
             .header_bytes = limits.header_bytes,
             .part_bytes = or_none(limits.part_bytes),
             .content_bytes = or_none(limits.content_bytes)}};
}

}  // namespace

// The next thing to tell, and never `need_more`: throws where the form is wrong.
task<codec::multipart_step> multipart_part::step() {
    using codec::multipart_event;
    for (;;) {
        codec::multipart_step const found = parser_.next(left_);
        left_ = left_.without_first(found.consumed);
        if (found.what == multipart_event::failed) break;
        if (found.what != multipart_event::need_more) co_return found;
        body_piece const piece = co_await content_.read();
        left_ = *piece;
        if (!piece && !parser_.finish()) break;
    }
    throw problem(static_cast<int>(parser_.failure_status()), parser_.failure_reason());
}

task<body_piece> multipart_part::read() {
    if (!open_) co_return body_piece();
    codec::multipart_step const found = co_await step();
    if (found.what == codec::multipart_event::data) co_return body_piece(found.data);
    open_ = false;
    co_return body_piece();
}

task<std::string> multipart_part::text(std::size_t most) {
    std::string all;
    while (auto const piece = co_await read()) {
        if (piece.size() > most - all.size()) {
            throw problem(status::content_too_large, "a field of the form is larger than allowed");
        }
        all += piece.text();
    }
    co_return all;
}

multipart_reader::multipart_reader(streaming_request& req, multipart_limits limits)
    : part_(req.body(), parser_for(req, limits)) {}

task<multipart_part*> multipart_reader::next() {
    for (;;) {
        codec::multipart_step const found = co_await part_.step();
        part_.open_ = found.what == codec::multipart_event::part;
        if (part_.open_) co_return &part_;
        if (found.what == codec::multipart_event::end) co_return nullptr;
    }
}

}  // namespace rill::http
