// Serving the files below a root.
#include "rill/web/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <compare>
#include <string>
#include <utility>
#include <vector>

#include "http/whole_list.hpp"
#include "rill/codec/accept.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/io/file.hpp"
#include "rill/rt/blocking.hpp"
#include "rill/web/content_type.hpp"
#include "web/file_answer.hpp"
#include "web/index_page.hpp"
#include "web/path.hpp"

namespace rill::web {

namespace {

// Longer paths below a root are not served.
constexpr std::size_t longest_path = 1024;

// A longer list is written on a blocking thread: a thousand entries take about a millisecond, in
// which this core would serve nobody.
constexpr std::size_t most_listed_here = 256;

constexpr http::literal json_type{"application/json"};

std::string write_listing(bool as_json, std::string path, std::vector<index_entry> entries) {
    return as_json ? index_json(std::move(entries)) : index_page(path, std::move(entries));
}

http::response answer_to(std::error_code why) {
    if (why.category() == std::system_category()) {
        switch (why.value()) {
            case EACCES:
            case EPERM:
                return http::response(http::status::forbidden);
            case EMFILE:
            case ENFILE:
            case ENOMEM:
                return http::response(http::status::service_unavailable);
            default:
                break;
        }
    }
    return http::to_response(http::status::not_found);
}

// True where there is no such name, and not where there is one that may not be served.
bool is_missing(std::error_code why) noexcept {
    return why.category() == std::system_category() &&
           (why.value() == ENOENT || why.value() == ENOTDIR);
}

// What stands behind the last slash.
std::string_view last_segment(std::string_view path) noexcept {
    return path.substr(path.rfind('/') + 1);
}

http::response method_not_allowed() {
    http::response answer(http::status::method_not_allowed);
    answer.headers().set("allow", "GET, HEAD");
    return answer;
}

// The codings of siblings; of equal weights the earlier is taken, since it makes smaller files.
struct sibling_coding {
    std::string_view name;
    std::string_view suffix;
};
constexpr std::array sibling_codings{sibling_coding{"br", ".br"}, sibling_coding{"zstd", ".zst"},
                                     sibling_coding{"gzip", ".gz"}};

}  // namespace

class files::state {
public:
    state(std::string_view path, files_options const& options)
        : root_(path),
          listing_(options.listing),
          show_hidden_(options.show_hidden),
          precompressed_(options.precompressed),
          index_(options.index),
          fallback_(options.fallback),
          cache_control_(options.cache_control) {
        for (type_of_extension const& each : options.types) {
            types_.emplace_back(each.extension, each.type);
        }
    }

    task<http::response> answer(http::request& req) const;

private:
    struct opened {
        file::handle open;
        file::status about;
    };

    task<http::response> answer_directory(http::request& req, std::string_view path,
                                          file::handle directory) const;
    task<http::response> answer_listing(http::request& req, std::string_view path,
                                        file::handle const& directory) const;
    task<http::response> answer_missing(http::request& req, std::string_view path,
                                        std::error_code why) const;
    task<http::response> answer_file(http::request& req, int directory, std::string_view name,
                                     opened file) const;
    task<std::string_view> find_sibling(http::request& req, int directory, std::string_view name,
                                        opened& file) const;
    [[nodiscard]] http::literal type_of(std::string_view name) const noexcept;

    file::root root_;
    bool listing_;
    bool show_hidden_;
    bool precompressed_;
    std::string index_;
    std::string fallback_;
    std::string cache_control_;
    std::vector<std::pair<std::string, http::literal>> types_;
};

http::literal files::state::type_of(std::string_view name) const noexcept {
    std::string_view const last = last_segment(name);
    std::size_t const dot = last.rfind('.');
    if (!types_.empty() && dot != last.npos) {
        for (auto const& [extension, type] : types_) {
            if (http1::equal_ignoring_case(extension, last.substr(dot + 1))) return type;
        }
    }
    return content_type(name);
}

task<http::response> files::state::answer(http::request& req) const {
    if (req.method() != http::method::get && req.method() != http::method::head) {
        co_return method_not_allowed();
    }
    std::array<char, longest_path + 2> memory;
    file_path const path =
        to_file_path(req.encoded_path("path"), memory, {.show_hidden = show_hidden_});
    if (path.outcome == file_path::verdict::malformed) {
        co_return http::response(http::status::bad_request);
    }
    if (path.outcome == file_path::verdict::refused) {
        co_return http::response(http::status::not_found);
    }
    auto found = co_await as_result(file::open_beneath(root_, path.name.data()));
    if (!found) {
        auto answer = co_await answer_missing(req, path.name, found.error());
        co_return answer;
    }
    file::handle open = *std::move(found);
    auto const about = open.status();
    if (!about) co_return answer_to(about.error());
    if (about->directory) {
        if (path.wants_directory) {
            auto answer = co_await answer_directory(req, path.name, std::move(open));
            co_return answer;
        }
        std::string location(req.encoded_path());
        location += '/';
        if (!req.query().empty()) location.append("?").append(req.query());
        co_return http::redirect(location, http::status::moved_permanently);
    }
    if (!about->regular || path.wants_directory) {
        co_return http::response(http::status::not_found);
    }
    opened file{std::move(open), *about};
    auto answer = co_await answer_file(req, root_.descriptor(), path.name, std::move(file));
    co_return answer;
}

task<http::response> files::state::answer_file(http::request& req, int directory,
                                               std::string_view name, opened file) const {
    std::string_view coding;
    if (precompressed_) coding = co_await find_sibling(req, directory, name, file);
    found_file what{.open = std::move(file.open),
                    .about = file.about,
                    .type = type_of(name),
                    .coding = coding,
                    .varies = precompressed_};
    co_return answer_with(req, std::move(what), cache_control_);
}

// Puts the sibling that the client wants most in the place of `file`; gives its coding.
task<std::string_view> files::state::find_sibling(http::request& req, int directory,
                                                  std::string_view name, opened& file) const {
    std::string joined;
    std::string_view const accepted =
        http::whole_list(req, http1::known_field::accept_encoding, joined);
    struct choice {
        int weight;         // below zero, so that the greatest comes first
        std::size_t place;  // among equals the earlier is taken
        auto operator<=>(choice const&) const = default;
    };
    std::array<choice, sibling_codings.size()> wanted;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        wanted[i] = {-codec::coding_weight(accepted, sibling_codings[i].name), i};
    }
    std::ranges::sort(wanted);
    int const plain = codec::coding_weight(accepted, "identity");
    std::string sibling;
    for (choice const& one : wanted) {
        if (one.weight == 0 || -one.weight < plain) break;
        sibling_coding const& coding = sibling_codings[one.place];
        sibling.assign(name).append(coding.suffix);
        auto found = co_await as_result(file::open_operation(directory, sibling.c_str()));
        if (!found) continue;
        auto const about = found->status();
        if (!about || !about->regular) continue;
        bool const stale = std::pair(about->modified, about->modified_ns) <
                           std::pair(file.about.modified, file.about.modified_ns);
        if (stale) continue;
        file.open = *std::move(found);
        file.about = *about;
        co_return coding.name;
    }
    co_return std::string_view();
}

task<http::response> files::state::answer_missing(http::request& req, std::string_view path,
                                                  std::error_code why) const {
    bool const falls_back = !fallback_.empty() && is_missing(why) &&
                            last_segment(path).find('.') == std::string_view::npos;
    if (!falls_back) co_return answer_to(why);
    auto found = co_await as_result(file::open_beneath(root_, fallback_.c_str()));
    if (!found) co_return answer_to(found.error());
    auto const about = found->status();
    if (!about || !about->regular) co_return http::response(http::status::not_found);
    opened file{*std::move(found), *about};
    auto answer = co_await answer_file(req, root_.descriptor(), fallback_, std::move(file));
    co_return answer;
}

task<http::response> files::state::answer_directory(http::request& req, std::string_view path,
                                                    file::handle directory) const {
    if (!index_.empty()) {
        auto found = co_await as_result(file::open_beneath(directory, index_.c_str()));
        if (found) {
            auto const about = found->status();
            if (about && about->regular) {
                opened file{*std::move(found), *about};
                auto answer =
                    co_await answer_file(req, directory.descriptor(), index_, std::move(file));
                co_return answer;
            }
        }
    }
    if (!listing_) co_return http::response(http::status::not_found);
    auto answer = co_await answer_listing(req, path, directory);
    co_return answer;
}

task<http::response> files::state::answer_listing(http::request& req, std::string_view path,
                                                  file::handle const& directory) const {
    auto found = co_await file::list(directory);
    if (!found) co_return answer_to(found.error());
    std::vector<index_entry> entries;
    entries.reserve(found->size());
    for (file::entry& each : *found) {
        if (!show_hidden_ && each.name.starts_with('.')) continue;
        if (!each.status.regular && !each.status.directory) continue;
        entries.push_back({.name = std::move(each.name),
                           .is_directory = each.status.directory,
                           .size = each.status.size,
                           .modified = each.status.modified});
    }
    std::string joined;
    std::string_view const accepted = http::whole_list(req, http1::known_field::accept, joined);
    bool const as_json = codec::type_weight(accepted, "application/json") >
                         codec::type_weight(accepted, "text/html");
    std::string text;
    if (entries.size() <= most_listed_here) {
        text = write_listing(as_json, std::string(path), std::move(entries));
    } else {
        text = co_await blocking(write_listing, as_json, std::string(path), std::move(entries));
    }
    http::response answer(http::status::ok, std::move(text),
                          as_json ? json_type : http::content_types::html);
    answer.headers().set("vary", "accept");
    co_return answer;
}

files::files(std::string_view root, files_options const& options)
    : state_(std::make_shared<state const>(root, options)) {}

task<http::response> files::operator()(http::request& req) const {
    return state_->answer(req);
}

}  // namespace rill::web
