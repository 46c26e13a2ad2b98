// Writes the parts of a file, each behind its own head.
#include "web/range_parts.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "rill/base/assert.hpp"
#include "rill/base/error.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/rt/core.hpp"
#include "rt/driver.hpp"

namespace rill::web {

namespace {

// How much of the file is in memory at a time.
constexpr std::size_t piece_bytes = 64 * 1024;

}  // namespace

range_parts::range_parts(file::handle open, std::uint64_t size,
                         std::span<codec::byte_range const> parts, http::literal type)
    : open_(std::move(open)), size_(size), parts_(), count_(parts.size()), type_(type) {
    RILL_ASSERT(count_ <= parts_.size(), "byte_ranges gives no more than most_byte_ranges");
    std::ranges::copy(parts, parts_.begin());
    // 128 random bits: nobody can put the boundary into a file before it is drawn.
    std::array<std::byte, 16> random;
    core::current().io().random(mutable_bytes(random.data(), random.size()));
    char* at = boundary_.data();
    for (std::byte const one : random) {
        at = fmt::format_to(at, "{:02x}", std::to_integer<unsigned>(one));
    }
}

std::string range_parts::content_type() const {
    std::string type = "multipart/byteranges; boundary=";
    return type.append(boundary_.data(), boundary_.size());
}

task<> range_parts::operator()(http::body_writer& out) {
    std::string memory;
    for (std::size_t i = 0; i < count_; ++i) co_await write_part(out, parts_[i], memory);
    memory = "\r\n--";
    memory.append(boundary_.data(), boundary_.size()).append("--\r\n");
    co_await out.write(memory);
}

task<> range_parts::write_part(http::body_writer& out, codec::byte_range part,
                               std::string& memory) {
    std::array<char, codec::content_range_bound> range;
    memory.clear();
    fmt::format_to(std::back_inserter(memory), "\r\n--{}\r\n",
                   std::string_view(boundary_.data(), boundary_.size()));
    if (!type_.view().empty()) {
        fmt::format_to(std::back_inserter(memory), "content-type: {}\r\n", type_.view());
    }
    fmt::format_to(std::back_inserter(memory), "content-range: {}\r\n\r\n",
                   codec::format_content_range(part, size_, range));
    // The head goes out with the first piece.
    std::size_t head = memory.size();
    std::uint64_t at = part.first;
    std::uint64_t left = part.size;
    while (left != 0) {
        std::size_t const count =
            static_cast<std::size_t>(std::min<std::uint64_t>(left, piece_bytes));
        memory.resize(head + count);
        mutable_bytes const room(memory.data() + head, count);
        auto const got = co_await as_result(file::read(open_, room, at));
        if (!got) throw error(got.error(), "read a part of a file");
        if (*got == 0) throw error(errc::end_of_stream, "read a part of a file");
        memory.resize(head + *got);
        co_await out.write(memory);
        at += *got;
        left -= *got;
        head = 0;
    }
}

}  // namespace rill::web
