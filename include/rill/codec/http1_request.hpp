// The head of an HTTP/1.1 request: parser and parsed head (RFC 9112 sections 2, 3, 5 and 6).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"
#include "rill/codec/http1_body.hpp"
#include "rill/codec/http1_head.hpp"
#include "rill/codec/http_method.hpp"

namespace rill::http1 {

/// How large a request's head may be. Each limit is exact: a head at it passes.
struct request_limits {
    /// Bytes of the request target; over it the answer is 414. Default 8 KiB, at least 1.
    std::uint32_t target_bytes = 8 * 1024;
    /// Bytes of the whole head, blank line included; over it the answer is 431. Default 16 KiB,
    /// from 16 to 65535.
    std::uint32_t head_bytes = 16 * 1024;
    /// Field lines; over it the answer is 431. Default 100, at most `field_table::capacity`. Zero
    /// allows none.
    std::uint32_t field_count = 100;
};

/// The four forms of a request target (RFC 9112 section 3.2).
enum class target_form : std::uint8_t {
    origin,     ///< `/path?query`
    absolute,   ///< `http://host/path?query`
    authority,  ///< `host:port`, CONNECT only
    asterisk,   ///< `*`, OPTIONS only
};

/// A parsed request head. Its views point into the bytes that were parsed, which belong to the
/// caller, and are good until those move or the parser is reset.
class RILL_API request_head {
public:
    request_head(request_head const&) = delete;
    request_head& operator=(request_head const&) = delete;
    ~request_head() = default;

    /// The method; `method::other` where it has no name, and then `method_text` tells.
    [[nodiscard]] http1::method method() const noexcept { return method_; }
    /// The method as sent.
    [[nodiscard]] std::string_view method_text() const noexcept { return view(method_text_); }
    /// The target as sent.
    [[nodiscard]] std::string_view target() const noexcept { return view(target_); }
    /// Which form the target has.
    [[nodiscard]] target_form form() const noexcept { return form_; }
    /// The path, still escaped, without the query. `/` for an absolute target without one, `*` for
    /// the asterisk form and for OPTIONS of an absolute target without one, empty for CONNECT.
    [[nodiscard]] std::string_view path() const noexcept {
        return path_.size != 0 ? view(path_) : implied_path();
    }
    /// What follows the `?`, still escaped; empty when there is none.
    [[nodiscard]] std::string_view query() const noexcept { return view(query_); }
    /// The 1 of HTTP/1.1, or the 0 of HTTP/1.0.
    [[nodiscard]] unsigned minor_version() const noexcept { return minor_version_; }
    /// Whom the request is for, `host[:port]`: from an absolute target or CONNECT, which override
    /// the Host field, else from Host. Empty when neither says. Spec: RFC 9112 section 3.2.2.
    [[nodiscard]] std::string_view host() const noexcept {
        return authority_.size != 0 ? view(authority_) : fields_.find(known_field::host);
    }
    /// All field lines.
    [[nodiscard]] field_table const& fields() const noexcept { return fields_; }
    /// The value of the first line of this name, without a search; null `data()` when absent.
    [[nodiscard]] std::string_view find(known_field which) const noexcept {
        return fields_.find(which);
    }
    /// As above for any name, without case.
    [[nodiscard]] std::string_view find(std::string_view name) const noexcept {
        return fields_.find(name);
    }
    /// Content-Length; nothing when there is none.
    [[nodiscard]] std::optional<std::uint64_t> content_length() const noexcept {
        return has_length_ ? std::optional(content_length_) : std::nullopt;
    }
    /// True when the body comes in the chunked coding.
    [[nodiscard]] bool chunked() const noexcept { return chunked_; }
    /// True when content follows the head: chunks, or a length that is not zero.
    [[nodiscard]] bool has_content() const noexcept { return chunked_ || content_length_ != 0; }
    /// How the end of the body is found. Spec: RFC 9112 section 6.3.
    [[nodiscard]] body_framing framing() const noexcept;
    /// True when the client leaves the connection open for another request. Spec: RFC 9112
    /// section 9.3.
    [[nodiscard]] bool keep_alive() const noexcept { return keep_alive_; }
    /// True when the client waits for 100 before it sends the body. Never for HTTP/1.0, and never
    /// without a body. Spec: RFC 9110 section 10.1.1.
    [[nodiscard]] bool expect_continue() const noexcept { return expect_continue_; }
    /// True when the client offers to change to `protocol`: Upgrade lists it and Connection lists
    /// `upgrade`. Never for HTTP/1.0. Spec: RFC 9110 section 7.8.
    [[nodiscard]] bool upgrades_to(std::string_view protocol) const noexcept {
        return upgrade_ && fields_.list_has(known_field::upgrade, protocol);
    }
    /// True when the client offers to change to any other protocol.
    [[nodiscard]] bool upgrade() const noexcept { return upgrade_; }
    /// Bytes of the head, blank line included.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Tells the head that its bytes have been copied to `base`.
    void rebase(void const* base) noexcept { fields_.base_ = static_cast<char const*>(base); }

private:
    friend class request_parser;
    request_head() = default;

    struct span {
        span() noexcept = default;
        span(std::integral auto begin, std::integral auto count) noexcept
            : at(static_cast<std::uint16_t>(begin)), size(static_cast<std::uint16_t>(count)) {}
        std::uint16_t at = 0;
        std::uint16_t size = 0;
    };
    [[nodiscard]] std::string_view view(span where) const noexcept {
        return {fields_.base_ + where.at, where.size};
    }
    [[nodiscard]] std::string_view implied_path() const noexcept;
    /// No content, and the connection stays or not as the version says.
    void clear_decisions() noexcept {
        content_length_ = 0;
        has_length_ = chunked_ = expect_continue_ = upgrade_ = false;
        keep_alive_ = minor_version_ == 1;
    }

    std::uint64_t content_length_ = 0;
    std::uint32_t size_ = 0;
    span method_text_, target_, path_, query_, authority_;
    http1::method method_ = http1::method::other;
    target_form form_ = target_form::origin;
    std::uint8_t minor_version_ = 1;
    bool keep_alive_ = false;
    bool has_length_ = false;
    bool chunked_ = false;
    bool expect_continue_ = false;
    bool upgrade_ = false;
    field_table fields_;
};

/// What one call of a head parser found.
enum class head_state : std::uint8_t {
    need_more,  ///< The head goes on; call again with a longer view.
    complete,   ///< The head is whole and right.
    failed,     ///< The head is refused; the connection cannot go on.
};

/// The outcome of `request_parser::parse`.
struct head_result {
    head_state state = head_state::need_more;  ///< What was found.
    std::uint16_t status = 0;  ///< The status to answer with when it failed, else zero.
    std::uint32_t size = 0;    ///< Bytes of the head when it is complete, else zero.
    char const* reason = "";   ///< Why it failed, for a log; a text that lives for ever.
};

/// Parses the head of one request after another, as its bytes arrive.
///
/// The caller keeps all bytes of a head together and gives a longer view each time, at the same
/// address or at another. No byte is parsed twice. Bytes behind the head are left alone.
///
/// A head that is there as a whole, as nearly all are, is taken apart in one strict pass. What that
/// pass does not accept is read in steps: the request line here, the field lines by llhttp, and
/// each line is then checked again for what some llhttp versions let pass: folded lines, bare LF,
/// empty names. Spec: RFC 9112; statuses 400, 414, 417, 431, 501 and 505.
class RILL_API request_parser {
public:
    /// Asserts that the limits are in their ranges.
    explicit request_parser(request_limits limits = {}) noexcept;
    request_parser(request_parser const&) = delete;
    request_parser& operator=(request_parser const&) = delete;
    ~request_parser() = default;

    /// Parses on, with all the bytes of this head so far. Once complete or failed it repeats itself
    /// until `reset`.
    [[nodiscard]] head_result parse(bytes head) noexcept {
        if (phase_ == phase::start) [[likely]] {
            // From the size itself: `outcome_` was stored in parts, and to load it as a whole would
            // wait for them.
            if (std::uint32_t const size = read_whole(head)) [[likely]]
                return {head_state::complete, 0, size, ""};
        }
        return parse_in_steps(head);
    }
    /// The head; good once it is complete.
    [[nodiscard]] request_head const& head() const noexcept {
        RILL_ASSERT(phase_ == phase::complete, "look at the head once parse() says complete");
        return head_;
    }
    /// As above, to be rebased.
    [[nodiscard]] request_head& head() noexcept {
        RILL_ASSERT(phase_ == phase::complete, "look at the head once parse() says complete");
        return head_;
    }
    /// Starts over for the next request. Takes a few instructions.
    void reset() noexcept {
        phase_ = phase::start;
        parsed_ = 0;
    }

private:
    enum class phase : std::uint8_t { start, target, fields, complete, failed };

    /// Reads and checks a whole head with a path for its target. Gives its size; 0 says nothing:
    /// then the steps decide.
    std::uint32_t read_whole(bytes head) noexcept;
    head_result parse_in_steps(bytes head) noexcept;
    [[nodiscard]] std::uint32_t parsed_size(bytes head) const noexcept {
        return head.size() < limits_.head_bytes ? static_cast<std::uint32_t>(head.size())
                                                : limits_.head_bytes;
    }
    bool read_method(char const* base, std::uint32_t size) noexcept;
    bool read_target(char const* base, std::uint32_t size) noexcept;
    bool read_version(char const* base, std::uint32_t size) noexcept;
    bool read_fields(char const* base, std::uint32_t size) noexcept;
    bool split_target(char const* base) noexcept;
    bool split_absolute() noexcept;
    bool check_head() noexcept;
    bool check_host() noexcept;
    bool check_framing() noexcept;
    bool check_transfer_coding() noexcept;
    bool check_expectation() noexcept;
    void read_connection() noexcept;
    void complete() noexcept {
        phase_ = phase::complete;
        outcome_ = {head_state::complete, 0, head_.size_, ""};
    }
    bool fail(std::uint16_t status, char const* reason) noexcept;

    request_limits limits_;
    phase phase_ = phase::start;
    std::uint32_t parsed_ = 0;  // bytes that are done with; the target's are scanned up to here
    std::uint32_t fields_begin_ = 0;
    head_result outcome_;
    request_head head_;
    // llhttp and its progress: lib/codec/field_section.hpp, which says what it is.
    alignas(std::uint64_t) std::array<std::byte, 160> section_;
};

}  // namespace rill::http1
