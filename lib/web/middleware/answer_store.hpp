// The answers that a cache keeps, and who waits for one. RFC 9111 sections 3, 4 and 4.4.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rill/base/time.hpp"
#include "rill/codec/cache_control.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"
#include "rill/rt/completion.hpp"

namespace rill::web {

// An answer that is kept. Nothing of it changes but whether it still is.
struct kept_answer {
    std::string host;
    std::string target;
    http::status status;
    http::headers fields;
    http::literal type;
    http::shared_text body;
    std::vector<std::pair<std::string, std::string>> varies;  // fields of the request, and values
    time_point made;                                          // less the age that it came with
    time_point stale;
    std::size_t size = 0;
    mutable std::atomic<bool> dropped = false;

    // True where it may be given to that request now.
    [[nodiscard]] bool fits(http::request const& req, codec::cache_control const& asked,
                            time_point now) const;
};
using kept = std::shared_ptr<kept_answer const>;

// What all cores share. Each function takes the lock once.
class answer_store {
public:
    static constexpr std::size_t most_variants = 16;

    explicit answer_store(std::size_t most_bytes) noexcept : most_bytes_(most_bytes) {}

    struct place {
        kept found = {};     // or
        bool leads = false;  // ask the handler, and call `end`; else wait for the completion
    };
    // What is kept for the request, or a place among those who want it.
    place join(std::string const& key, http::request const& req, codec::cache_control const& asked,
               time_point now, completion<kept>& arrived);
    // Keeps `made`, where it is not null.
    void keep(std::string const& key, kept const& made);
    // The same, and ends the wait of the others: with what was made, or, where it was given up, so
    // that one of them leads.
    void end(std::string const& key, kept const& made, bool given_up) noexcept;
    // Drops what is kept under that key.
    void drop(std::string const& key);
    [[nodiscard]] std::size_t bytes_kept();

private:
    struct owned {
        std::string key;
        kept answer;
    };
    void add(std::string const& key, kept const& made);
    void remove(std::list<owned>::iterator which);

    std::size_t most_bytes_;
    std::mutex lock_;
    std::size_t bytes_ = 0;
    std::list<owned> in_order_;  // the oldest first
    std::unordered_map<std::string, std::vector<std::list<owned>::iterator>> by_key_;
    std::unordered_map<std::string, std::vector<completer<kept>>> waiting_;
};

}  // namespace rill::web
