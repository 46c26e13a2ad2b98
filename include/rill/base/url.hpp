// url: an absolute URL (RFC 3986, with zones of RFC 6874), checked strictly, and references to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/base/result.hpp"

namespace rill {

namespace detail {
struct url_parts;
}  // namespace detail

/// What the host of a URL is written as.
enum class url_host_kind : unsigned char {
    none,    ///< There is no authority (`mailto:a@b`).
    name,    ///< A registered name; empty in `file:///tmp`.
    ipv4,    ///< Four decimal numbers.
    ipv6,    ///< In brackets, perhaps with a zone.
    future,  ///< In brackets, `v1.…`.
};

/// An absolute URL that owns its text.
///
/// Scheme and host are in lower case, a port without its leading zeros, and an empty path is "/"
/// in http, https, ws and wss; nothing else is changed. The components are as written, still
/// encoded: split them first and decode the pieces once.
///
/// Lifetime  the views live as long as the url and its text; a moved-from url is empty.
class RILL_API url {
public:
    /// The longest text that is accepted.
    static constexpr std::size_t maximum_bytes = 64 * 1024;

    /// Reads an absolute URL.
    ///
    /// Errors    `errc::bad_url`: a character outside its component's set (a space, a control, a
    ///           byte above 127), a bad `%XX`, a bad port or address, a missing scheme, or no host
    ///           where the scheme needs one (http, https, ws, wss, mqtt, mqtts).
    ///           `errc::limit_exceeded`: longer than `maximum_bytes`.
    /// Spec      RFC 3986 sections 3 and 4.3, with a fragment; RFC 6874 section 2
    [[nodiscard]] static result<url> parse(std::string_view text);

    /// The URL that `reference` means when it is found at this one: a link, a `Location`.
    ///
    /// Errors    those of `parse`.
    /// Spec      RFC 3986 section 5.2, strict
    [[nodiscard]] result<url> resolve(std::string_view reference) const;

    /// The whole URL.
    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    /// "https", in lower case.
    [[nodiscard]] std::string_view scheme() const noexcept { return view(scheme_); }
    /// "user:password", encoded; empty without one.
    [[nodiscard]] std::string_view userinfo() const noexcept { return view(userinfo_); }
    /// How the host is written.
    [[nodiscard]] url_host_kind host_kind() const noexcept { return host_kind_; }
    /// The host in lower case, an address without brackets and zone.
    [[nodiscard]] std::string_view host() const noexcept { return view(host_); }
    /// The zone of a link-local address, decoded: "eth0"; empty without one. It means something on
    /// this machine only and is never sent.
    [[nodiscard]] std::string zone() const;
    /// The port that is written in the URL.
    [[nodiscard]] std::optional<std::uint16_t> port() const noexcept { return port_; }
    /// The port to connect to: the written one or the scheme's own (http, https, ws, wss, mqtt,
    /// mqtts); nothing for other schemes.
    [[nodiscard]] std::optional<std::uint16_t> effective_port() const noexcept;
    /// "/index.html", encoded.
    [[nodiscard]] std::string_view path() const noexcept { return view(path_); }
    /// True when there is a query, also an empty one.
    [[nodiscard]] bool has_query() const noexcept { return has_query_; }
    /// What is between `?` and `#`, encoded.
    [[nodiscard]] std::string_view query() const noexcept { return view(query_); }
    /// True when there is a fragment, also an empty one.
    [[nodiscard]] bool has_fragment() const noexcept { return has_fragment_; }
    /// What is behind the first `#`, encoded. It is never sent.
    [[nodiscard]] std::string_view fragment() const noexcept { return view(fragment_); }

    /// Path and query: what an HTTP request line takes.
    [[nodiscard]] std::string_view target() const noexcept { return view(target_); }
    /// Host and, unless it is the scheme's own, port: the value of an HTTP `Host` field. An IPv6
    /// address is in brackets and has no zone.
    [[nodiscard]] std::string host_field() const;

    /// Equal texts; two URLs that differ may still mean the same.
    friend bool operator==(url const& left, url const& right) noexcept {
        return left.text_ == right.text_;
    }

private:
    // A piece of text_, by place, so that a copy and a move need no repair.
    struct piece {
        std::uint32_t at = 0;
        std::uint32_t size = 0;
    };

    url() = default;
    static result<url> build(detail::url_parts const& parts);
    piece add(std::string_view what);
    bool add_authority(std::string_view authority);
    bool add_host(std::string_view host);
    bool add_literal(std::string_view inside);
    std::string_view view(piece where) const noexcept {
        std::string_view const all = text_;
        return where.at <= all.size() ? all.substr(where.at, where.size) : std::string_view();
    }

    std::string text_;
    piece scheme_;
    piece userinfo_;
    piece host_;
    piece zone_;
    piece path_;
    piece query_;
    piece fragment_;
    piece target_;
    std::optional<std::uint16_t> port_;
    url_host_kind host_kind_ = url_host_kind::none;
    bool has_query_ = false;
    bool has_fragment_ = false;
};

/// The path without its segments "." and ".."; what would climb above the root is dropped.
///
/// It sees only what is written: decode a path first when "%2e" shall count as a dot.
///
/// Spec      RFC 3986 section 5.2.4
[[nodiscard]] RILL_API std::string remove_dot_segments(std::string_view path);

}  // namespace rill
