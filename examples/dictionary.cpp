// A dictionary that all cores share: words are added with POST and looked up with GET.
// Run: ./dictionary 127.0.0.1:8080
// then: curl -d name=rill http://127.0.0.1:8080/add; curl "http://127.0.0.1:8080/check?name=rill"
#include <rill/web.hpp>

#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>

namespace http = rill::http;

class dictionary {
public:
    bool holds(std::string_view word) const {
        std::shared_lock const lock(mutex_);
        return words_.contains(word);
    }
    bool add(std::string_view word) {
        if (word.empty() || word.size() > 100) throw http::problem(400, "1 to 100 bytes, please");
        std::lock_guard const lock(mutex_);  // short, and never held across a co_await
        if (words_.size() == 1'000'000) throw http::problem(507, "the dictionary is full");
        return words_.emplace(word).second;
    }

private:
    mutable std::shared_mutex mutex_;
    std::set<std::string, std::less<>> words_;
};

int main(int argc, char** argv) {
    dictionary words;
    rill::web::router app;
    app.get("/check",
            [&](http::request& req) { return words.holds(req.query("name")) ? "yes\n" : "no\n"; });
    app.post("/add", [&](http::request& req) {  // the form's own type or plain text, no matter
        return words.add(req.form("name")) ? "added\n" : "known\n";
    });
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
