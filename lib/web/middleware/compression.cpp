// Which answers are compressed, by what, and how they are sent then.
#include "rill/web/middleware/compression.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "codec/compressor.hpp"
#include "http/whole_list.hpp"
#include "rill/base/error.hpp"
#include "rill/codec/accept.hpp"
#include "rill/codec/http_fields.hpp"
#include "rill/io/file.hpp"
#include "rill/rt/sleep.hpp"
#include "web/middleware/control_of.hpp"

namespace rill::web {

namespace {

using codec::compressor;
using codec::content_coding;
using step = compressor::step;

// What is compressed at one go holds the core for about a millisecond.
constexpr std::size_t piece_bytes = 32 * 1024;

struct choice {
    content_coding coding;
    int level;
};

// In the order in which the server likes them: at these levels zstd takes about a quarter of the
// time of br and a fifth of that of gzip, for some hundredths more of size.
std::array<choice, 3> choices_of(compression_options const& options) noexcept {
    return {{{content_coding::zstd, options.zstd_level},
             {content_coding::br, options.brotli_quality},
             {content_coding::gzip, options.gzip_level}}};
}

// What the client wants most of what there is.
std::optional<choice> best_for(http::request const& req, compression_options const& options) {
    std::string joined;
    std::string_view const list =
        http::whole_list(req, http1::known_field::accept_encoding, joined);
    if (list.empty()) return std::nullopt;
    std::optional<choice> best;
    int most = 0;
    for (choice const& each : choices_of(options)) {
        if (each.level == 0 || !codec::is_built_in(each.coding)) continue;
        int const weight = codec::coding_weight(list, codec::name_of(each.coding));
        if (weight <= most) continue;
        most = weight;
        best = each;
    }
    // A client that wants it as it is more than that gets it as it is.
    if (codec::coding_weight(list, "identity") > most) return std::nullopt;
    return best;
}

bool is_text(std::string_view type) noexcept {
    type = http1::trim_space(type.substr(0, type.find(';')));
    auto const is = [&](std::string_view name) { return http1::equal_ignoring_case(type, name); };
    auto const begins = [&](std::string_view with) {
        return type.size() >= with.size() &&
               http1::equal_ignoring_case(type.substr(0, with.size()), with);
    };
    auto const ends = [&](std::string_view with) {
        return type.size() >= with.size() &&
               http1::equal_ignoring_case(type.substr(type.size() - with.size()), with);
    };
    if (begins("text/") || ends("+json") || ends("+xml") || ends("+text")) return true;
    constexpr std::array<std::string_view, 12> names = {"application/json",
                                                        "application/javascript",
                                                        "application/xml",
                                                        "application/wasm",
                                                        "application/x-ndjson",
                                                        "application/graphql",
                                                        "application/x-sh",
                                                        "application/sql",
                                                        "font/ttf",
                                                        "font/otf",
                                                        "image/bmp",
                                                        "application/vnd.ms-fontobject"};
    return std::any_of(names.begin(), names.end(), is);
}

bool may_change(http::response const& answer) {
    auto const& fields = answer.headers();
    for (std::string_view const name : {"content-encoding", "content-range", "content-digest",
                                        "repr-digest", "digest", "content-md5"}) {
        if (fields.contains(name)) return false;
    }
    return !control_of(fields).no_transform;
}

bool has_body(http::response const& answer, std::size_t least) noexcept {
    auto const& body = answer.body();
    if (std::holds_alternative<http::body_stream>(body)) return true;
    if (std::holds_alternative<http::upgrade_session>(body)) return false;
    return answer.body_size() != 0 && answer.body_size() >= least;
}

// RFC 9110 section 8.8.3.3: what is compressed is not the same byte for byte.
void weaken_tag(http::headers& fields) {
    std::string_view const tag = fields.get("etag");
    if (tag.empty() || tag.starts_with("W/")) return;
    fields.set("etag", "W/" + std::string(tag));
}

// One place of those that may be compressed at once, and the tables of it.
class running {
public:
    running(std::shared_ptr<std::atomic<std::size_t>> count, choice by,
            std::optional<std::uint64_t> size)
        : count_(std::move(count)), tables_(compressor::make(by.coding, by.level, size)) {}
    running(running&&) noexcept = default;
    running& operator=(running&&) = delete;
    ~running() {
        if (count_) count_->fetch_sub(1, std::memory_order_relaxed);
    }
    [[nodiscard]] compressor& tables() const noexcept { return *tables_; }

private:
    std::shared_ptr<std::atomic<std::size_t>> count_;
    std::unique_ptr<compressor> tables_;
};

// What the producer of a stream writes to.
class compressing_writer final : public http::body_writer {
public:
    compressing_writer(http::body_writer& to, compressor& by) noexcept : to_(to), by_(by) {}
    task<> write(bytes piece) override {
        if (piece.empty()) co_return;
        co_await send(piece, step::flush);
    }
    void trailer(std::string_view name, std::string_view value) override {
        to_.trailer(name, value);
    }
    event& stopping() noexcept override { return to_.stopping(); }
    task<> send(bytes piece, step what) {
        std::string out;
        by_.add(piece, what, out);
        co_await to_.write(bytes(out));
    }

private:
    http::body_writer& to_;
    compressor& by_;
};

task<> send_stream(http::body_stream& from, compressor& by, http::body_writer& to) {
    compressing_writer out(to, by);
    co_await from.run(out);
    co_await out.send({}, step::end);
}

task<> send_text(http::response::body_type const& body, compressor& by, http::body_writer& to) {
    compressing_writer out(to, by);
    auto const* const fixed = std::get_if<http::literal>(&body);
    auto const* const owned = std::get_if<std::string>(&body);
    bytes rest(fixed != nullptr   ? fixed->view()
               : owned != nullptr ? std::string_view(*owned)
                                  : std::string_view(*std::get<http::shared_text>(body)));
    while (!rest.empty()) {
        bytes const piece = rest.first(std::min(rest.size(), piece_bytes));
        rest = rest.without_first(piece.size());
        co_await out.send(piece, rest.empty() ? step::end : step::more);
        co_await yield();
    }
}

task<> send_file(http::file_range const& range, compressor& by, http::body_writer& to) {
    compressing_writer out(to, by);
    std::string piece(static_cast<std::size_t>(std::min<std::uint64_t>(range.size(), piece_bytes)),
                      '\0');
    std::uint64_t at = 0;
    while (at != range.size()) {
        auto const size =
            static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), range.size() - at));
        std::size_t const got = co_await file::read(
            range.descriptor(), mutable_bytes(piece.data(), size), range.offset() + at);
        if (got == 0) throw error(errc::end_of_stream, "compress a file that became shorter");
        at += got;
        co_await out.send(bytes(std::string_view(piece).substr(0, got)),
                          at == range.size() ? step::end : step::more);
    }
}

http::response::body_type compressed_stream(http::response::body_type body, running by) {
    if (auto* const stream = std::get_if<http::body_stream>(&body)) {
        return http::body_stream(
            [from = std::move(*stream), by = std::move(by)](http::body_writer& to) mutable {
                return send_stream(from, by.tables(), to);
            });
    }
    if (auto* const range = std::get_if<http::file_range>(&body)) {
        return http::body_stream(
            [from = std::move(*range), by = std::move(by)](http::body_writer& to) {
                return send_file(from, by.tables(), to);
            });
    }
    return http::body_stream([from = std::move(body), by = std::move(by)](http::body_writer& to) {
        return send_text(from, by.tables(), to);
    });
}

std::optional<std::uint64_t> size_of(http::response const& answer) noexcept {
    if (std::holds_alternative<http::body_stream>(answer.body())) return std::nullopt;
    return answer.body_size();
}

void check_level(char const* what, int level, int most) {
    if (level >= 0 && level <= most) return;
    throw error(std::make_error_code(std::errc::invalid_argument), "compress answers with", what,
                "its levels are 1 to " + std::to_string(most) + ", and 0 leaves it out");
}

}  // namespace

compression::compression(compression_options const& options)
    : options_(options), streams_(std::make_shared<std::atomic<std::size_t>>(0)) {
    check_level("gzip_level", options.gzip_level, 9);
    check_level("brotli_quality", options.brotli_quality, 11);
    check_level("zstd_level", options.zstd_level, 19);
}

void compression::after(http::request& req, http::response& answer) const {
    if (answer.status() == http::status::not_modified) {
        // Its tag is that of the answer which the client has, which may be compressed.
        if (best_for(req, options_)) weaken_tag(answer.headers());
        return;
    }
    unsigned const code = http::code_of(answer.status());
    if (code < 200 || code == 204 || code == 206) return;
    if (!has_body(answer, options_.least_bytes) || !is_text(answer.content_type())) return;
    if (!may_change(answer)) return;
    answer.vary("accept-encoding");
    auto const by = best_for(req, options_);
    if (!by) return;

    auto const size = size_of(answer);
    bool const at_once = !std::holds_alternative<http::body_stream>(answer.body()) &&
                         !std::holds_alternative<http::file_range>(answer.body()) &&
                         *size <= piece_bytes;
    http::literal const type = answer.default_content_type();
    if (at_once) {
        std::string text;
        compressor::make(by->coding, by->level, size)->add(bytes(answer.text()), step::end, text);
        if (text.size() >= *size) return;
        answer.set_body(std::move(text), type);
    } else {
        if (streams_->fetch_add(1, std::memory_order_relaxed) >= options_.most_streams) {
            streams_->fetch_sub(1, std::memory_order_relaxed);
            return;
        }
        running place(streams_, *by, size);
        answer.set_body(compressed_stream(std::move(answer.body()), std::move(place)), type);
    }
    answer.headers().set("content-encoding", codec::name_of(by->coding));
    answer.headers().erase("accept-ranges");
    weaken_tag(answer.headers());
}

}  // namespace rill::web
