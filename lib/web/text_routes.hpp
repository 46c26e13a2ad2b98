// The shapes of a router that are all text, by hash: most requests are for one of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "web/pattern.hpp"

namespace rill::web {

inline constexpr std::uint32_t none = ~std::uint32_t{0};

template <class Word>
Word load_word(char const* from) noexcept {
    Word word;
    std::memcpy(&word, from, sizeof(Word));
    return word;
}

// As memcmp(left, right, size) == 0 for a size that is not zero. Runs of text are short, and a call
// costs more than two words that overlap.
inline bool same_text(char const* left, char const* right, std::size_t size) noexcept {
    auto const same = [&]<class Word>(Word) {
        return load_word<Word>(left) == load_word<Word>(right) &&
               load_word<Word>(left + size - sizeof(Word)) ==
                   load_word<Word>(right + size - sizeof(Word));
    };
    if (size > 16) return std::memcmp(left, right, size) == 0;
    if (size >= 8) return same(std::uint64_t{});
    if (size >= 4) return same(std::uint32_t{});
    return size == 1 ? *left == *right : same(std::uint16_t{});
}

// One shape that is all text.
struct text_route {
    std::uint32_t text = 0;  // in the table's text
    std::uint32_t size = 0;  // 0 where the place is free: every shape has a slash
    std::uint32_t end = none;
    std::uint32_t get = none;  // the route that answers GET, or `none`
};

// A table in front of the tree. A shape without parameters is the most specific one for its path,
// so what is found here is what the tree would find.
class text_routes {
public:
    text_routes() : places_(1) {}
    // Room for that many shapes.
    explicit text_routes(std::size_t count) : places_(std::bit_ceil(2 * count + 1)) {}

    // Takes a shape, unless it has parameters or its places are taken: then only the tree has it.
    void add(std::string_view shape, std::uint32_t end, std::uint32_t get) {
        for (char const c : shape) {
            if (c == parameter_mark || c == wildcard_mark) return;
        }
        for (std::size_t at = hash_of(shape), last = at + most_probes; at != last; ++at) {
            text_route& here = places_[at & (places_.size() - 1)];
            if (here.size != 0) continue;
            here = {static_cast<std::uint32_t>(text_.size()),
                    static_cast<std::uint32_t>(shape.size()), end, get};
            text_ += shape;
            return;
        }
    }

    // What was added with this very text, or null.
    [[nodiscard]] text_route const* find(std::string_view path) const noexcept {
        if (path.empty()) return nullptr;
        std::size_t const at = hash_of(path);
        text_route const& here = places_.data()[at & (places_.size() - 1)];
        return is(here, path) ? &here : find_behind(path, at);
    }

private:
    // How many places are looked at for one path.
    static constexpr std::size_t most_probes = 4;

    [[nodiscard]] bool is(text_route const& here, std::string_view path) const noexcept {
        return here.size == path.size() &&
               same_text(path.data(), text_.data() + here.text, path.size());
    }
    [[nodiscard, gnu::noinline]] text_route const* find_behind(std::string_view path,
                                                               std::size_t at) const noexcept {
        for (std::size_t const last = at + most_probes - 1; at != last;) {
            text_route const& here = places_.data()[++at & (places_.size() - 1)];
            if (is(here, path)) return &here;
        }
        return nullptr;
    }

    // Of the size and of the first and last bytes of a path that is not empty. Paths that have all
    // of them in common meet in one place and are told apart there.
    static std::size_t hash_of(std::string_view path) noexcept {
        char const* const begin = path.data();
        char const* const end = begin + path.size();
        std::uint64_t first = 0;
        std::uint64_t last = 0;
        if (path.size() >= 8) {
            first = load_word<std::uint64_t>(begin);
            last = load_word<std::uint64_t>(end - 8);
        } else if (path.size() >= 4) {
            first = load_word<std::uint32_t>(begin);
            last = load_word<std::uint32_t>(end - 4);
        } else {
            first = load_word<std::uint8_t>(begin + path.size() / 2);
            last = load_word<std::uint8_t>(end - 1);
        }
        // The last letters, in which paths differ most, stand in the high bits: brought down first,
        // they reach all that a multiplication carries upwards.
        std::uint64_t mixed = (first + path.size()) * 0x9e3779b97f4a7c15U ^ last;
        mixed ^= mixed >> 32;
        return static_cast<std::size_t>(mixed * 0xc2b2ae3d27d4eb4fU >> 40);
    }

    std::vector<text_route> places_;  // a power of two, of which at most half is taken
    std::string text_;
};

}  // namespace rill::web
