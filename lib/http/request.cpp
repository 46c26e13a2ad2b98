// Splitting a target, decoding paths, queries and parameters.
// RFC 9112 section 3.2, RFC 3986 sections 2.1 and 3.3, URL Standard section 5.1 (forms).
#include "rill/http/request.hpp"

#include <cstring>
#include <new>
#include <string>

#include "http/request_access.hpp"
#include "http/text.hpp"
#include "rill/base/assert.hpp"
#include "rill/base/percent.hpp"
#include "rill/base/query.hpp"
#include "rill/coro/chain.hpp"
#include "rill/http/problem.hpp"
#include "rill/http/response.hpp"

namespace rill::http {

namespace detail {

char* scratch::allocate(std::size_t size) {
    if (size <= inside_size - used_) {
        char* const given = inside_ + used_;
        used_ += static_cast<std::uint32_t>(size);
        return given;
    }
    std::size_t const whole = sizeof(chunk) + size;
    auto* const more = static_cast<chunk*>(rill::detail::allocate_frame(whole));
    *more = {overflow_, whole};
    overflow_ = more;
    return reinterpret_cast<char*>(more + 1);
}

void scratch::release() noexcept {
    while (overflow_ != nullptr) {
        chunk* const next = overflow_->next;
        rill::detail::free_frame(overflow_, overflow_->size);
        overflow_ = next;
    }
}

void refuse_parameter(std::string_view kind, std::string_view name, std::string_view what) {
    std::string detail(kind);
    detail.append(" parameter '").append(name).append("' ").append(what);
    throw problem(status::bad_request, detail);
}

namespace {

bool contains(std::string_view text, char c) noexcept {
    return !text.empty() && std::memchr(text.data(), c, text.size()) != nullptr;
}

// True when `encoded`, a name in a form, decodes to `name`. Keeps nothing, because a client may
// send very many of them.
bool decodes_to(std::string_view encoded, std::string_view name) noexcept {
    std::size_t at = 0;
    for (char const wanted : name) {
        if (at == encoded.size()) return false;
        int const byte = encoded[at] == '%' ? encoded_byte(encoded, at) : -1;
        char const found = byte >= 0            ? static_cast<char>(byte)
                           : encoded[at] == '+' ? ' '
                                                : encoded[at];
        if (found != wanted) return false;
        at += byte >= 0 ? 3 : 1;
    }
    return at == encoded.size();
}

// Decodes a name or a value of a form; a '%' without two digits stays as it is (URL Standard
// section 1.3).
std::string_view decode_form_text(std::string_view text, scratch& memory) {
    if (text.find_first_of("%+") == std::string_view::npos) return text;
    char* const into = memory.allocate(text.size());
    std::size_t size = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        int const byte = text[i] == '%' ? encoded_byte(text, i) : -1;
        into[size++] = byte >= 0 ? static_cast<char>(byte) : text[i] == '+' ? ' ' : text[i];
        if (byte >= 0) i += 2;
    }
    return {into, size};
}

}  // namespace

std::optional<std::string_view> request_access::decode_path(request& req) {
    std::string_view const sent = req.encoded_path();
    char* const copy = req.scratch_.allocate(sent.size());
    std::size_t size = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        if (sent[i] != '%') {
            copy[size++] = sent[i];
            continue;
        }
        int const byte = encoded_byte(sent, i);
        if (byte < 0) return std::nullopt;
        if (byte == '/' || byte == '%') {
            copy[size++] = '%';
            copy[size++] = '2';
            copy[size++] = byte == '/' ? 'F' : '5';
        } else {
            copy[size++] = static_cast<char>(byte);
        }
        i += 2;
    }
    req.canonical_path_ = copy;
    return std::string_view(copy, size);
}

}  // namespace detail

std::string_view request::path() const {
    std::string_view const sent = encoded_path();
    if (!path_has_percent_) return sent;
    if (decoded_path_ == nullptr) {
        mutable_bytes const into(scratch_.allocate(sent.size()), sent.size());
        result<std::size_t> const size = percent_decode(sent, into);
        if (!size) throw problem(status::bad_request, "the path holds a '%' without two digits");
        decoded_path_ = bytes(into.data(), *size).text().data();
        decoded_path_size_ = static_cast<std::uint32_t>(*size);
    }
    return {decoded_path_, decoded_path_size_};
}

std::string_view request::encoded_path(std::string_view name) const {
    char const* const base = path_has_percent_ ? canonical_path_ : encoded_path().data();
    for (std::uint32_t i = 0; i < parameters_.count; ++i) {
        if (parameters_.names[i] == name) return parameters_.values[i].in(base);
    }
    RILL_ASSERT(false, "the route's pattern has no parameter of that name");
    return {};
}

std::string_view request::path_parameter(std::string_view name) const {
    std::string_view const encoded = encoded_path(name);
    if (!path_has_percent_ || !detail::contains(encoded, '%')) return encoded;
    mutable_bytes const into(scratch_.allocate(encoded.size()), encoded.size());
    result<std::size_t> const size = percent_decode(encoded, into);
    RILL_ASSERT(size, "a canonical path was checked when it was made");
    return bytes(into.data(), *size).text();
}

std::optional<std::string_view> request::form_value(std::string_view pairs,
                                                    std::string_view name) const {
    for (parameter const& one : http::parameters(pairs, name, scratch_)) return one.value;
    return std::nullopt;
}

std::string_view request::form_text() const {
    std::string_view const text = body_.text();
    if (text.empty()) return text;
    // RFC 9110 section 8.3: content without a type is what its reader takes it for.
    std::string_view const said = header("content-type");
    std::string_view const type = http1::media_type_of(said);
    if (said.empty() || http1::equal_ignoring_case(type, "application/x-www-form-urlencoded") ||
        http1::equal_ignoring_case(type, "text/plain")) {
        return text;
    }
    throw problem(status::unsupported_media_type,
                  "the form is to be sent as application/x-www-form-urlencoded");
}

void parameters::iterator::find() {
    for (; at_ != std::default_sentinel; ++at_) {
        if (++count_ > max_count) {
            throw problem(status::bad_request, "there are more parameters than the server reads");
        }
        if (only_ && !detail::decodes_to(at_->name, *only_)) continue;
        found_ = {only_ ? *only_ : detail::decode_form_text(at_->name, *memory_),
                  detail::decode_form_text(at_->value, *memory_)};
        return;
    }
}

client_info request::client() const {
    if (source_ != nullptr) return source_->client_of(*this);
    return {.address = {}, .scheme = "http", .host = std::string(host())};
}

std::string_view request::keep(std::string_view text) const {
    if (text.empty()) return {};
    char* const copy = scratch_.allocate(text.size());
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
}

void* request::attach_memory(std::size_t size, rill::detail::type_key type) {
    // Scratch gives bytes of any alignment; a chunk of the pool would be aligned by itself.
    constexpr std::size_t unit = alignof(std::max_align_t);
    char* const room = scratch_.allocate(sizeof(detail::attachment) + size + 2 * unit);
    auto const up = [](char* at) {
        return at + (unit - reinterpret_cast<std::uintptr_t>(at) % unit) % unit;
    };
    char* const head = up(room);
    char* const value = up(head + sizeof(detail::attachment));
    attachments_ = ::new (head) detail::attachment{attachments_, type, value};
    return value;
}

void* request::find_attachment(rill::detail::type_key type) const noexcept {
    for (detail::attachment* at = attachments_; at != nullptr; at = at->next) {
        if (at->type == type) return at->value;
    }
    return nullptr;
}

void request::add_hook(detail::finish_hook* hook) {
    if (source_ != nullptr) return source_->at_finish(hook);
    hook->destroy(hook);
}

namespace detail {

response request_access::answer_to(request const& req, std::exception_ptr failure) {
    if (req.source_ == nullptr) std::rethrow_exception(std::move(failure));
    return req.source_->answer_to(std::move(failure));
}

}  // namespace detail

http1::field_table const& request::no_fields() noexcept {
    static http1::field_table const none{};
    return none;
}

}  // namespace rill::http
