// The block of text behind `headers`.
// RFC 9110 sections 5.1 (names), 5.5 (values) and 5.6.2 (tokens).
#include "rill/http/headers.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <system_error>

#include "rill/base/assert.hpp"
#include "rill/base/error.hpp"
#include "rill/coro/chain.hpp"

namespace rill::http {

namespace {

constexpr std::size_t framing_size = 4;  // ": " and CR LF
constexpr std::size_t smallest_block = 244;

[[noreturn]] void refuse(std::string_view name, std::string_view advice) {
    throw error(std::make_error_code(std::errc::invalid_argument), "set header field", name,
                advice);
}

// Throws when the field must not be sent.
void check(std::string_view name, std::string_view value) {
    if (!http1::is_token(name)) refuse("", "a name is made of letters, digits and !#$%&'*+-.^_`|~");
    if (!http1::is_field_value(value)) {
        refuse(name, "a value has no control characters; encode or drop them first");
    }
}

// One past the end of the field that starts at `at`.
char const* field_end(char const* at) noexcept {
    auto const* line_end = static_cast<char const*>(std::memchr(at, '\n', headers::max_size + 1));
    RILL_ASSERT(line_end != nullptr, "every field in the block ends in CR LF");
    return line_end + 1;
}

// The mark of a field, told by its length before its name is looked at.
std::uint32_t mark_of(std::string_view name) noexcept {
    auto const when = [name](std::string_view wanted, std::uint32_t mark) {
        return same_name(name, wanted) ? mark : 0;
    };
    switch (name.size()) {
        case 4:
            return when("date", headers::date);
        case 7:
            return when("upgrade", headers::upgrade);
        case 10:
            return when("connection", headers::connection);
        case 12:
            return when("content-type", headers::content_type);
        case 14:
            return when("content-length", headers::content_length);
        case 17:
            return when("transfer-encoding", headers::transfer_encoding);
        default:
            return 0;
    }
}

std::string_view name_at(char const* at) noexcept {
    char const* end = at;
    while (*end != ':') ++end;
    return {at, static_cast<std::size_t>(end - at)};
}

}  // namespace

field headers::iterator::operator*() const noexcept {
    std::string_view const name = name_at(at_);
    char const* const value = name.data() + name.size() + 2;
    char const* const end = field_end(value) - 2;
    return {name, {value, static_cast<std::size_t>(end - value)}};
}

headers::iterator& headers::iterator::operator++() noexcept {
    at_ = field_end(at_);
    return *this;
}

// A block whose size has grown by `added`, with what was in the list: the list's own where that is
// large enough. The caller fills it and puts it in the place of the old one.
headers::block* headers::make_room(std::size_t added) {
    std::size_t const size = wire().size();
    block* target = block_;
    if (target == nullptr || target->capacity < size + added) {
        // From the pool of frames, like what else a request needs: no call of malloc.
        std::size_t const capacity = std::max({smallest_block, 2 * size, size + added});
        target = static_cast<block*>(rill::detail::allocate_frame(sizeof(block) + capacity));
        target->capacity = static_cast<std::uint32_t>(capacity);
        target->marks = block_ == nullptr ? 0 : block_->marks;
        if (size != 0) std::memcpy(target + 1, block_ + 1, size);
    }
    target->size = static_cast<std::uint32_t>(size + added);
    return target;
}

// Returns where the new field starts. The views may point into the block, so the old block lives
// until they have been copied.
char* headers::append(std::string_view name, std::string_view value) {
    value = http1::trim_space(value);
    check(name, value);
    std::size_t const size = wire().size();
    std::size_t const added = name.size() + value.size() + framing_size;
    // Each is looked at alone: sums of huge sizes must not wrap.
    if (name.size() > max_size || value.size() > max_size || size + added > max_size) {
        throw error(errc::limit_exceeded, "set header field", name, "fields share 64 KiB");
    }
    block* const old = block_;
    block* const target = make_room(added);
    target->marks |= mark_of(name);

    char* const start = reinterpret_cast<char*>(target + 1) + size;
    char* at = std::copy(name.begin(), name.end(), start);
    *at++ = ':';
    *at++ = ' ';
    at = std::copy(value.begin(), value.end(), at);
    *at++ = '\r';
    *at++ = '\n';
    RILL_ASSERT(at == reinterpret_cast<char*>(target + 1) + target->size, "the sum was wrong");
    if (target != old) {
        if (old != nullptr) release();
        block_ = target;
    }
    return start;
}

// Drops the fields of that name among the first `limit` bytes and closes the gaps. `name` may be a
// view of a field behind `limit`: the bytes there move last.
std::size_t headers::erase_in(std::size_t limit, std::string_view name) noexcept {
    std::size_t count = 0;
    char* const stop = text() + limit;
    char* write = text();
    for (char* read = text(); read != stop;) {
        auto const size = static_cast<std::size_t>(field_end(read) - read);
        if (same_name(name_at(read), name)) {
            ++count;
        } else {
            if (write != read) std::memmove(write, read, size);
            write += size;
        }
        read += size;
    }
    std::size_t const rest = block_->size - limit;
    if (count != 0) std::memmove(write, stop, rest);
    block_->size = static_cast<std::uint32_t>(static_cast<std::size_t>(write - text()) + rest);
    return count;
}

void headers::set(std::string_view name, std::string_view value) {
    char const* const added = append(name, value);
    erase_in(static_cast<std::size_t>(added - text()), name_at(added));
}

void headers::add(std::string_view name, std::string_view value) {
    append(name, value);
}

void headers::add(headers const& others) {
    std::string_view const text = others.wire();
    if (text.empty()) return;
    std::size_t const size = wire().size();
    if (size + text.size() > max_size) {
        throw error(errc::limit_exceeded, "set header fields", {}, "fields share 64 KiB");
    }
    std::uint32_t const marks = others.block_->marks;
    block* const old = block_;
    block* const target = make_room(text.size());
    std::memcpy(reinterpret_cast<char*>(target + 1) + size, text.data(), text.size());
    target->marks |= marks;
    if (target != old) {
        if (old != nullptr) release();
        block_ = target;
    }
}

std::size_t headers::erase(std::string_view name) noexcept {
    if (block_ == nullptr) return 0;
    // A view of this list would change under the loop.
    char copy[256];
    if (name.size() <= sizeof(copy)) {
        std::copy(name.begin(), name.end(), copy);
        return erase_in(block_->size, {copy, name.size()});
    }
    bool const inside = name.data() >= text() && name.data() < text() + block_->size;
    RILL_ASSERT(!inside, "copy the name first");
    return erase_in(block_->size, name);
}

void headers::clear() noexcept {
    if (block_ == nullptr) return;
    block_->size = 0;
    block_->marks = 0;
}

std::string_view headers::get(std::string_view name) const noexcept {
    for (field const f : *this) {
        if (same_name(f.name, name)) return f.value;
    }
    return {};
}

bool headers::contains(std::string_view name) const noexcept {
    for (field const f : *this) {
        if (same_name(f.name, name)) return true;
    }
    return false;
}

void headers::release() noexcept {
    rill::detail::free_frame(block_, sizeof(block) + block_->capacity);
}

}  // namespace rill::http
