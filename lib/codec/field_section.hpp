// Reads the field lines of a head with llhttp, then takes them apart (RFC 9112 section 5).
#pragma once

#include <llhttp.h>

#include <cstdint>

#include "rill/codec/http1_head.hpp"

namespace rill::http1::detail {

/// The field lines between a start line and the blank line, as they arrive.
///
/// A head that is whole when it is first looked at, as nearly all are, is taken apart by one strict
/// pass. Whatever that pass does not accept, and a head that comes in pieces, is llhttp's: the fuzz
/// target holds the two ways against each other.
///
/// llhttp starts in the state in which it is after a request line, so its
/// faults in the start line (bare LF, any version, only its own methods) do not arise, and a
/// response's fields are read by the same code. It knows the grammar of names and of the fields
/// that it looks into; the framing of the body is not its business, it is stopped at the blank
/// line. Then the pass finds the lines and refuses every shape that some llhttp lets pass: folded
/// lines, bare CR or LF, empty names, white space before the colon, control characters.
class field_section {
public:
    enum class state : std::uint8_t { need_more, complete, failed };

    /// Starts a new head.
    void start() noexcept { begun_ = false; }

    /// The strict pass, for a section that nothing was read of yet. Returns true when the head is
    /// whole and right; false says nothing: then `read`.
    [[nodiscard]] bool read_whole(field_table& table, std::uint32_t begin, std::uint32_t to,
                                  std::uint32_t most_fields) noexcept {
        return !begun_ && split<true>(table, begin, to, most_fields);
    }

    /// Reads the bytes from `from` to `to` of the head at `base`. All bytes before have been read.
    [[nodiscard]] state read(char const* base, std::uint32_t from, std::uint32_t to) noexcept;

    /// Once complete: puts the lines that begin at `begin` into the table. Returns false when one
    /// is refused. `to` is how many bytes are readable, at least 16.
    template <bool Strict = false>
    [[nodiscard]] bool split(field_table& table, std::uint32_t begin, std::uint32_t to,
                             std::uint32_t most_fields) noexcept;

    /// Bytes of the head, blank line included; good once split.
    [[nodiscard]] std::uint32_t head_size() const noexcept { return head_size_; }
    /// The status to answer with; good once failed.
    [[nodiscard]] std::uint16_t status() const noexcept { return status_; }
    /// Why it failed; good once failed.
    [[nodiscard]] char const* reason() const noexcept { return reason_; }

private:
    static llhttp_settings_t make_settings() noexcept;
    static llhttp_t make_start_state() noexcept;

    bool fail(char const* reason, std::uint16_t status = 400) noexcept;

    llhttp_t parser_;
    char const* reason_;
    std::uint32_t head_size_;
    std::uint16_t status_;
    bool begun_ = false;  // llhttp has seen a part of this head
};

}  // namespace rill::http1::detail
