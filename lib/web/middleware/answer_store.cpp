// Keeping answers within a bound, and one question for many who ask.
#include "web/middleware/answer_store.hpp"

#include <algorithm>
#include <chrono>

#include "http/whole_list.hpp"

namespace rill::web {

bool kept_answer::fits(http::request const& req, codec::cache_control const& asked,
                       time_point now) const {
    if (dropped.load(std::memory_order_relaxed) || now >= stale) return false;
    if (asked.max_age && now - made > std::chrono::seconds(*asked.max_age)) return false;
    if (asked.min_fresh && stale - now < std::chrono::seconds(*asked.min_fresh)) return false;
    return std::all_of(varies.begin(), varies.end(), [&](auto const& each) {
        return http::whole_list(req, each.first) == each.second;
    });
}

answer_store::place answer_store::join(std::string const& key, http::request const& req,
                                       codec::cache_control const& asked, time_point now,
                                       completion<kept>& arrived) {
    std::lock_guard const held(lock_);
    if (auto const found = by_key_.find(key); found != by_key_.end()) {
        for (auto const at : found->second) {
            if (at->answer->fits(req, asked, now)) return {.found = at->answer};
        }
    }
    auto const [at, leads] = waiting_.try_emplace(key);
    if (!leads) at->second.push_back(arrived.completer());
    return {.leads = leads};
}

void answer_store::keep(std::string const& key, kept const& made) {
    if (made == nullptr) return;
    std::lock_guard const held(lock_);
    add(key, made);
}

void answer_store::end(std::string const& key, kept const& made, bool given_up) noexcept {
    std::vector<completer<kept>> others;
    {
        std::lock_guard const held(lock_);
        if (made != nullptr) add(key, made);
        auto const at = waiting_.find(key);
        others = std::move(at->second);
        waiting_.erase(at);
    }
    // One that is dropped without a value tells its waiter to begin again.
    if (given_up) return;
    for (completer<kept>& each : others) each.complete(made);
}

void answer_store::drop(std::string const& key) {
    std::lock_guard const held(lock_);
    for (auto at = by_key_.find(key); at != by_key_.end(); at = by_key_.find(key)) {
        remove(at->second.back());
    }
}

std::size_t answer_store::bytes_kept() {
    std::lock_guard const held(lock_);
    return bytes_;
}

// In place of those that are for the same requests or stale.
void answer_store::add(std::string const& key, kept const& made) {
    if (made->size > most_bytes_) return;
    if (auto const found = by_key_.find(key); found != by_key_.end()) {
        auto const variants = found->second;
        for (auto const each : variants) {
            bool const same = each->answer->varies == made->varies;
            if (same || each->answer->stale <= made->made) remove(each);
        }
    }
    if (auto const found = by_key_.find(key);
        found != by_key_.end() && found->second.size() == most_variants) {
        remove(found->second.front());
    }
    while (bytes_ + made->size > most_bytes_) remove(in_order_.begin());
    bytes_ += made->size;
    in_order_.push_back({key, made});
    by_key_[key].push_back(std::prev(in_order_.end()));
}

void answer_store::remove(std::list<owned>::iterator which) {
    which->answer->dropped.store(true, std::memory_order_relaxed);
    bytes_ -= which->answer->size;
    auto const at = by_key_.find(which->key);
    std::erase(at->second, which);
    if (at->second.empty()) by_key_.erase(at);
    in_order_.erase(which);
}

}  // namespace rill::web
