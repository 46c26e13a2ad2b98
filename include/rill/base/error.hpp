// What went wrong: codes of rill's own, and the exception that the throwing interfaces throw.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include "rill/base/export.hpp"

namespace rill {

/// The failures that have no errno. Codes of the operating system are in `std::system_category`.
enum class errc {
    cancelled = 1,   ///< The wait was cancelled; see `cancel_reason`.
    timed_out,       ///< The deadline of the wait passed.
    end_of_stream,   ///< The peer ended its stream where more was needed.
    limit_exceeded,  ///< A stated bound would have been passed.
    write_broken,    ///< An earlier write stopped part way; nothing more can be written.
    closed,          ///< The object was closed on this side.
    bad_address,     ///< The text is not an address that can be used here.
    bad_url,         ///< The text is not a URL (RFC 3986).
    protocol,        ///< The peer broke the protocol.
    unsupported,     ///< This kernel, driver or build cannot do it.
    no_such_name,    ///< There is no address of this name.
    names_failed,    ///< The name servers gave no answer; it may work later.
};

/// The category of `errc`, named "rill".
[[nodiscard]] RILL_API std::error_category const& rill_category() noexcept;

/// Makes `errc` usable where a `std::error_code` is expected.
[[nodiscard]] inline std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), rill_category()};
}

/// The code for an errno value.
[[nodiscard]] inline std::error_code system_error(int errno_value) noexcept {
    return {errno_value, std::system_category()};
}

/// A failed world: what was tried, on what, and why it failed.
///
/// Thrown by the throwing interfaces only. Coroutines inside the library return `result<T>`.
class RILL_API error : public std::exception {
public:
    /// `operation` is what was tried ("connect", "read"); `subject` is on what (a peer, a path).
    explicit error(std::error_code code, std::string_view operation = {},
                   std::string_view subject = {}, std::string_view advice = {});
    error(error const&) = default;
    error(error&&) = default;
    error& operator=(error const&) = default;
    error& operator=(error&&) = default;
    ~error() override;

    /// Why it failed.
    [[nodiscard]] std::error_code code() const noexcept { return code_; }
    /// What was tried; empty if unknown.
    [[nodiscard]] std::string_view operation() const noexcept { return operation_; }
    /// On what it was tried: a peer, a path; empty if unknown.
    [[nodiscard]] std::string_view subject() const noexcept { return subject_; }
    /// "connect 127.0.0.1:80: Connection refused (advice)".
    [[nodiscard]] char const* what() const noexcept override { return text_.c_str(); }

private:
    std::error_code code_;
    std::string operation_;
    std::string subject_;
    std::string text_;
};

}  // namespace rill

template <>
struct std::is_error_code_enum<rill::errc> : std::true_type {};
