// Building the tree of a router from shapes, and searching it.
#include "web/route_tree.hpp"

#include <cstring>
#include <map>

#include "rill/base/assert.hpp"
#include "web/pattern.hpp"

namespace rill::web {

// A node while the tree grows: one byte for each branch.
struct route_tree::branch {
    std::map<char, branch> text;
    std::unique_ptr<branch> parameter;
    std::uint32_t wildcard = none;
    std::uint32_t end = none;

    // True when nothing is decided here, so that the byte before and the one after are one run.
    [[nodiscard]] bool is_inner() const noexcept {
        return text.size() == 1 && !parameter && wildcard == none && end == none;
    }
};

route_tree::route_tree(std::vector<entry> const& entries, std::vector<route_index> by_method,
                       bool by_text)
    : by_method_(std::move(by_method)) {
    if (entries.empty()) return;
    texts_ = text_routes(entries.size());
    branch root;
    for (entry const& e : entries) {
        auto const end = static_cast<std::uint32_t>(endpoints_.size());
        insert(root, e.shape, end);
        if (by_text) texts_.add(e.shape, end, route_of(e.ends, http::method::get));
        endpoints_.push_back(e.ends);
    }
    RILL_ASSERT(root.text.size() == 1 && root.text.begin()->first == '/',
                "every pattern starts with a slash");
    nodes_.emplace_back();
    first_bytes_.push_back('\0');
    emit(root.text.begin()->second, 0);
}

void route_tree::insert(branch& root, std::string_view shape, std::uint32_t end) {
    branch* at = &root;
    for (char const c : shape) {
        if (c == wildcard_mark) {
            RILL_ASSERT(at->wildcard == none, "each shape comes once");
            at->wildcard = end;
            return;
        }
        if (c == parameter_mark) {
            if (!at->parameter) at->parameter = std::make_unique<branch>();
            at = at->parameter.get();
        } else {
            at = &at->text[c];
        }
    }
    RILL_ASSERT(at->end == none, "each shape comes once");
    at->end = end;
}

// Writes what hangs below `from` for the node `to`. nodes_ grows meanwhile: indices, no references.
void route_tree::emit(branch const& from, std::uint32_t to) {
    nodes_[to].wildcard = from.wildcard;
    nodes_[to].end = from.end;
    nodes_[to].is_text_only = !from.parameter && from.wildcard == none;
    auto child = static_cast<std::uint32_t>(nodes_.size());
    nodes_[to].first_child = child;
    nodes_[to].child_count = static_cast<std::uint16_t>(from.text.size());
    nodes_.resize(nodes_.size() + from.text.size() + (from.parameter ? 1 : 0));
    first_bytes_.resize(nodes_.size());
    for (auto const& [byte, first] : from.text) {
        auto const start = static_cast<std::uint32_t>(text_.size());
        text_ += byte;
        branch const* last = &first;
        while (last->is_inner()) {
            text_ += last->text.begin()->first;
            last = &last->text.begin()->second;
        }
        nodes_[child].text = start;
        nodes_[child].text_size = static_cast<std::uint16_t>(text_.size() - start);
        first_bytes_[child] = byte;
        emit(*last, child);
        ++child;
    }
    if (from.parameter) {
        nodes_[to].parameter = child;
        emit(*from.parameter, child);
    }
}

namespace {

// Where the segment ends that starts at `at`. Most end soon, before a call would pay.
char const* segment_end(char const* at, char const* end) noexcept {
    char const* const soon = end - at > 12 ? at + 12 : end;
    while (at != soon && *at != '/') ++at;
    if (at != soon || soon == end) return at;
    auto const* const slash =
        static_cast<char const*>(std::memchr(at, '/', static_cast<std::size_t>(end - at)));
    return slash == nullptr ? end : slash;
}

}  // namespace

// The child whose text the path goes on with, or null.
inline auto route_tree::child_for(node const& parent, char const* at,
                                  char const* end) const noexcept -> node const* {
    char const* const first_bytes = first_bytes_.data();
    std::uint32_t const stop = parent.first_child + parent.child_count;
    for (std::uint32_t child = parent.first_child; child != stop; ++child) {
        if (first_bytes[child] != *at) continue;
        node const& candidate = nodes_.data()[child];
        std::size_t const size = candidate.text_size;
        if (size > static_cast<std::size_t>(end - at)) return nullptr;
        return same_text(at, text_.data() + candidate.text, size) ? &candidate : nullptr;
    }
    return nullptr;
}

// The route of that endpoint for the method; notes what else would have been allowed.
inline route_index route_tree::pick(search& wanted, std::uint32_t at) const noexcept {
    endpoint const& here = endpoints_.data()[at];
    route_index found = route_of(here, wanted.method);
    if (found != none) return found;
    if (wanted.method == http::method::head) found = route_of(here, http::method::get);
    if (found == none) found = here.any_method;
    if (found == none && here.methods != 0) {
        if (wanted.allowed == 0) wanted.known = by_method_.data()[here.first];
        wanted.allowed |= here.methods;
    }
    return found;
}

// Calls itself only where something is left to try behind it, so it goes as deep as the patterns
// are long, whatever the path is.
route_index route_tree::descend(search& wanted, node const* here, char const* next,
                                std::uint32_t count) const noexcept {
    char const* const begin = wanted.path.data();
    char const* const end = begin + wanted.path.size();
    auto bind = [&](char const* to) {
        wanted.values[count] = {static_cast<std::uint32_t>(next - begin),
                                static_cast<std::uint32_t>(to - next)};
    };
    while (next != end) {
        node const* const child = child_for(*here, next, end);
        if (here->is_text_only) {
            if (child == nullptr) return none;
            next += child->text_size;
            here = child;
            continue;
        }
        if (child != nullptr) {
            route_index const found = descend(wanted, child, next + child->text_size, count);
            if (found != none) return found;
        }
        if (here->parameter != none && *next != '/') {
            char const* const behind = segment_end(next, end);
            node const* const parameter = nodes_.data() + here->parameter;
            bind(behind);
            if (here->wildcard == none) {
                next = behind;
                here = parameter;
                ++count;
                continue;
            }
            route_index const found = descend(wanted, parameter, behind, count + 1);
            if (found != none) return found;
        }
        break;
    }
    if (next == end && here->end != none) {
        route_index const found = pick(wanted, here->end);
        if (found != none) return found;
    }
    if (here->wildcard == none) return none;
    bind(end);
    return pick(wanted, here->wildcard);
}

route_index route_tree::find(search& wanted) const noexcept {
    // Every pattern starts with a slash, so the search starts behind it.
    if (nodes_.empty() || wanted.path.empty() || wanted.path.front() != '/') return none;
    return descend(wanted, nodes_.data(), wanted.path.data() + 1, 0);
}

}  // namespace rill::web
