// Serving the files below a root.
#include "rill/web/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <compare>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/whole_list.hpp"
#include "rill/codec/accept.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/io/file.hpp"
#include "rill/rt/blocking.hpp"
#include "rill/rt/per_core.hpp"
#include "rill/web/content_type.hpp"
#include "web/file_answer.hpp"
#include "web/file_cache.hpp"
#include "web/index_page.hpp"
#include "web/path.hpp"

namespace rill::web {

namespace {

// Longer paths below a root are not served.
constexpr std::size_t longest_path = 1024;
using path_memory = std::array<char, longest_path + 2>;

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

file_cache_limits limits_of(files_options const& options) noexcept {
    return {.bytes = options.kept_bytes,
            .file_bytes = options.kept_file_bytes,
            .names = options.kept_names,
            .trusted_for = options.kept_for};
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
          cache_control_(options.cache_control),
          kept_([limits = limits_of(options)] { return file_cache(limits); }) {
        for (type_of_extension const& each : options.types) {
            types_.emplace_back(each.extension, each.type);
        }
    }

    task<http::response> answer(http::request& req) const;
    std::optional<http::response> ready(http::request& req) const;

private:
    struct opened {
        file::handle open;
        file::status about;
    };
    using name_key = file_cache::name_key;

    std::optional<http::response> from_memory(http::request& req, file_path const& path) const;
    task<http::response> answer_path(http::request& req, file_path const& path) const;
    task<http::response> answer_directory(http::request& req, std::string_view path,
                                          file::handle directory) const;
    task<http::response> answer_listing(http::request& req, std::string_view path,
                                        file::handle const& directory) const;
    task<http::response> answer_missing(http::request& req, std::string_view path,
                                        std::error_code why) const;
    task<http::response> answer_file(http::request& req, int directory, std::string_view name,
                                     opened file) const;
    task<http::response> answer_kept(http::request& req, name_key key, std::string_view name,
                                     int directory, opened file) const;
    task<std::shared_ptr<file_content const>> load(opened const& file) const;
    [[nodiscard]] file_cache& kept() const { return kept_.local(); }
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
    mutable per_core<file_cache> kept_;
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
    path_memory memory;
    file_path const path =
        to_file_path(req.encoded_path("path"), memory, {.show_hidden = show_hidden_});
    if (path.outcome == file_path::verdict::malformed) {
        co_return http::response(http::status::bad_request);
    }
    if (path.outcome == file_path::verdict::refused) {
        co_return http::response(http::status::not_found);
    }
    if (auto known = from_memory(req, path)) co_return *std::move(known);
    auto answer = co_await answer_path(req, path);
    co_return answer;
}

std::optional<http::response> files::state::ready(http::request& req) const {
    if (req.method() != http::method::get && req.method() != http::method::head) return {};
    path_memory memory;
    file_path const path =
        to_file_path(req.encoded_path("path"), memory, {.show_hidden = show_hidden_});
    if (path.outcome != file_path::verdict::good) return {};
    return from_memory(req, path);
}

std::optional<http::response> files::state::from_memory(http::request& req,
                                                        file_path const& path) const {
    // Of a file that is kept, parts are not: whoever asks for one has the time of an open.
    if (req.headers().has(http1::known_field::range)) return {};
    auto known = kept().find({path.name, path.wants_directory}, core::current().now());
    if (!known.content) return {};
    return answer_kept_file(req, std::move(known.content), known.type);
}

task<http::response> files::state::answer_path(http::request& req, file_path const& path) const {
    auto found = co_await as_result(file::open_beneath(root_, path.name.data()));
    if (!found) {
        kept().forget({path.name, path.wants_directory});
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
    name_key const key{path.name};
    auto answer = co_await answer_kept(req, key, path.name, root_.descriptor(), std::move(file));
    co_return answer;
}

// The answer of a file that `key` has led to: `name` in `directory`. It is kept where it may be.
task<http::response> files::state::answer_kept(http::request& req, name_key key,
                                               std::string_view name, int directory,
                                               opened file) const {
    std::shared_ptr<file_content const> content;
    if (!precompressed_ && kept().takes(file.about)) content = co_await load(file);
    if (!content) {
        kept().forget(key);
        auto answer = co_await answer_file(req, directory, name, std::move(file));
        co_return answer;
    }
    http::literal const type = type_of(name);
    kept().keep(key, content, type, core::current().now());
    if (req.headers().has(http1::known_field::range)) {
        found_file what{.open = std::move(file.open), .about = content->about, .type = type};
        what.content = std::move(content);
        co_return answer_with(req, std::move(what), cache_control_);
    }
    co_return answer_kept_file(req, std::move(content), type);
}

// The content of an open file, known or read; nothing where the file is being changed.
task<std::shared_ptr<file_content const>> files::state::load(opened const& file) const {
    auto known = kept().find(file.about);
    if (known) co_return known;
    if (!has_settled(file.about, core::current().wall_now())) co_return nullptr;
    std::string text(static_cast<std::size_t>(file.about.size), '\0');
    std::size_t size = 0;
    while (size != text.size()) {
        mutable_bytes const room(text.data() + size, text.size() - size);
        auto const got = co_await as_result(file::read(file.open, room, size));
        if (!got || *got == 0) co_return nullptr;
        size += *got;
    }
    auto const after = file.open.status();
    if (!after || !same_state(file.about, *after)) co_return nullptr;
    co_return make_content(file.about, std::move(text), cache_control_);
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
                name_key const key{path, true};
                auto answer =
                    co_await answer_kept(req, key, index_, directory.descriptor(), std::move(file));
                co_return answer;
            }
        }
        kept().forget({path, true});
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

std::optional<http::response> files::ready(http::request& req) const {
    return state_->ready(req);
}

}  // namespace rill::web
