// Conditional requests: whether one is to be carried out, and whether its Range counts.
// RFC 9110 sections 13.1 (fields) and 13.2.2 (precedence).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/codec/entity_tag.hpp"

namespace rill::codec {

/// What tells one state of a representation from another.
struct validators {
    /// Its entity tag; nothing when it has none.
    std::optional<entity_tag> tag = {};
    /// When it last changed, as Last-Modified says; nothing when that is unknown.
    std::optional<std::chrono::sys_seconds> modified = {};
};

/// The conditions of one request, taken field line by field line, against the representation that
/// there is. Holds no text of the request but the views in its validators.
class preconditions {
public:
    /// What is to be done.
    enum class verdict : std::uint8_t {
        proceed,       ///< Carry the request out.
        not_modified,  ///< 304: the client has it.
        failed,        ///< 412: it is not what the client thinks.
    };

    /// Against `current`, at the moment `now`, which dates of two digits are read by. The text of
    /// the tag must outlive this.
    preconditions(validators const& current, std::chrono::sys_seconds now) noexcept
        : current_(current), now_(now) {}

    /// Takes the value of a line of If-Match. Several lines are one list.
    RILL_API void if_match(std::string_view value) noexcept;
    /// Takes the value of a line of If-None-Match. Several lines are one list.
    RILL_API void if_none_match(std::string_view value) noexcept;
    /// Takes the value of If-Modified-Since. Ignored when it is no date or comes twice.
    RILL_API void if_modified_since(std::string_view value) noexcept;
    /// Takes the value of If-Unmodified-Since. Ignored when it is no date or comes twice.
    RILL_API void if_unmodified_since(std::string_view value) noexcept;
    /// Takes the value of If-Range: a tag or a date. It does not hold when it is neither or comes
    /// twice.
    RILL_API void if_range(std::string_view value) noexcept;

    /// The verdict, in the order that RFC 9110 section 13.2.2 asks for. `reads` is true for GET and
    /// HEAD.
    [[nodiscard]] RILL_API verdict judge(bool reads) const noexcept;

    /// True when a Range field is to be heeded: there is no If-Range, or it holds.
    [[nodiscard]] bool range_counts() const noexcept { return if_range_ != state::fails; }

private:
    enum class state : std::uint8_t { absent, holds, fails, ignored };

    [[nodiscard]] bool list_matches(std::string_view list, tag_comparison how) const noexcept;

    validators current_;
    std::chrono::sys_seconds now_;
    state if_match_ = state::absent;
    state if_none_match_ = state::absent;
    state if_modified_since_ = state::absent;
    state if_unmodified_since_ = state::absent;
    state if_range_ = state::absent;
};

}  // namespace rill::codec
