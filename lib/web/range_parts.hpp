// Several parts of one file as one body. RFC 9110 section 14.6 (multipart/byteranges), RFC 2046
// section 5.1.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "rill/codec/byte_ranges.hpp"
#include "rill/coro/task.hpp"
#include "rill/http/body_stream.hpp"
#include "rill/http/response.hpp"
#include "rill/io/file.hpp"

namespace rill::web {

// A producer for `http::body_stream`. It owns the file and holds one piece of it in memory.
class range_parts {
public:
    // The parts are at most `codec::most_byte_ranges`; `type` is that of the whole file.
    range_parts(file::handle open, std::uint64_t size, std::span<codec::byte_range const> parts,
                http::literal type);

    // The value of Content-Type, which names the boundary.
    [[nodiscard]] std::string content_type() const;

    // Writes all parts. Throws `error` when the file has become shorter, which cuts the answer.
    task<> operator()(http::body_writer& out);

private:
    task<> write_part(http::body_writer& out, codec::byte_range part, std::string& memory);

    file::handle open_;
    std::uint64_t size_;
    std::array<codec::byte_range, codec::most_byte_ranges> parts_;
    std::size_t count_;
    http::literal type_;
    std::array<char, 32> boundary_;
};

}  // namespace rill::web
