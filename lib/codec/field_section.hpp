// Follows the field lines of a head that comes in pieces, with llhttp (RFC 9112 section 5).
#pragma once

#include <llhttp.h>

#include <cstdint>

#include "rill/base/assert.hpp"

namespace rill::http1::detail {

/// llhttp on the field lines between a start line and the empty line, as they arrive in pieces.
///
/// It starts in the state in which it is after a request line, so its faults in the start line
/// (bare LF, any version, only its own methods) do not arise, and a response's fields are read by
/// the same code. It knows the grammar of names and of the fields that it looks into; the framing
/// of the body is not its business: it is stopped at the empty line, and where it does not like a
/// length or a coding (it knows no tab behind a length) it is asked no further and the empty line
/// is looked for. `field_lines::split` then takes the lines apart and refuses every shape that some
/// llhttp lets pass.
class field_section {
public:
    enum class state : std::uint8_t { need_more, complete, failed };

    /// Starts a new head.
    void start() noexcept { begun_ = stopped_ = false; }

    /// Reads the bytes from `from` to `to` of the head at `base`. All bytes before have been read.
    [[nodiscard]] state read(char const* base, std::uint32_t from, std::uint32_t to) noexcept;

private:
    static llhttp_settings_t make_settings() noexcept;
    static llhttp_t make_start_state() noexcept;
    static state find_end(char const* base, std::uint32_t from, std::uint32_t to) noexcept;

    llhttp_t parser_;
    bool begun_ = false;    // it has seen a part of this head
    bool stopped_ = false;  // it will see no more of it
};

}  // namespace rill::http1::detail
