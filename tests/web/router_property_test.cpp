// The router against a matcher that follows the rules word by word, over random routes and paths.
#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "rill/web/router.hpp"
#include "support/request_maker.hpp"

using namespace rill;

namespace {

using generator = std::mt19937;

// How specific each kind is; the smaller goes first.
enum class kind { text, parameter, wildcard };

struct segment {
    kind what;
    std::string text;
};

struct route {
    http::method method;
    std::vector<segment> segments;
};

constexpr std::array<char const*, 8> words{"", "a", "b", "ab", "abc", "%", "/", "b%"};
constexpr std::array methods{http::method::get, http::method::post, http::method::head,
                             http::method::patch};

std::size_t below(generator& random, std::size_t bound) {
    return random() % bound;
}

// Segments as a client spells them: plain where it may, or encoded, in either case.
std::string spelled(generator& random, std::string_view word) {
    std::string text;
    for (char const c : word) {
        bool const must = c == '%' || c == '/';
        if (!must && below(random, 4) != 0) {
            text += c;
            continue;
        }
        char digits[4];
        std::snprintf(digits, sizeof(digits), below(random, 2) ? "%%%02x" : "%%%02X",
                      static_cast<unsigned>(static_cast<unsigned char>(c)));
        text += digits;
    }
    return text;
}

route random_route(generator& random) {
    route made{methods[below(random, methods.size())], {}};
    std::size_t const count = 1 + below(random, 4);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t const choice = below(random, 10);
        if (choice == 0 && i + 1 == count) {
            made.segments.push_back({kind::wildcard, {}});
        } else if (choice < 4) {
            made.segments.push_back({kind::parameter, {}});
        } else {
            // No slash: a pattern cannot say it. No empty segment but the last, to keep them apart.
            std::string const word = words[below(random, 6)];
            made.segments.push_back({kind::text, word.empty() && i + 1 != count ? "a" : word});
        }
    }
    return made;
}

std::string pattern_of(route const& r) {
    std::string text;
    int number = 0;
    for (segment const& s : r.segments) {
        std::string const name = "p" + std::to_string(number++);
        text += s.what == kind::text ? "/" + s.text
                                     : "/{" + name + (s.what == kind::wildcard ? "...}" : "}");
    }
    return text;
}

bool fits(route const& r, std::vector<std::string> const& path) {
    for (std::size_t i = 0; i < r.segments.size(); ++i) {
        if (r.segments[i].what == kind::wildcard) return i < path.size();
        if (i >= path.size()) return false;
        if (r.segments[i].what == kind::text && r.segments[i].text != path[i]) return false;
        if (r.segments[i].what == kind::parameter && path[i].empty()) return false;
    }
    return r.segments.size() == path.size();
}

bool more_specific(route const& a, route const& b) {
    for (std::size_t i = 0; i < a.segments.size() && i < b.segments.size(); ++i) {
        if (a.segments[i].what != b.segments[i].what) {
            return a.segments[i].what < b.segments[i].what;
        }
    }
    return false;
}

std::optional<std::size_t> best(std::vector<route> const& routes, http::method method,
                                std::vector<std::string> const& path) {
    std::optional<std::size_t> found;
    auto serves = [&](route const& r) {
        return r.method == method ||
               (method == http::method::head && r.method == http::method::get);
    };
    for (std::size_t i = 0; i < routes.size(); ++i) {
        if (!serves(routes[i]) || !fits(routes[i], path)) continue;
        if (!found || more_specific(routes[i], routes[*found])) found = i;
        // The same pattern for both: a route for HEAD itself goes first.
        bool const tie = !more_specific(routes[*found], routes[i]);
        if (tie && routes[i].method == method) found = i;
    }
    return found;
}

void compare_once(generator& random) {
    std::vector<route> routes;
    web::router app;
    std::set<std::string> taken;
    for (std::size_t i = 0; i < 1 + below(random, 12); ++i) {
        route made = random_route(random);
        std::string const pattern = pattern_of(made);
        std::string const key = std::string(http::name_of(made.method)) + pattern;
        if (!taken.insert(key).second) continue;
        std::size_t const number = routes.size();
        std::size_t const parameters = made.segments.size();
        app.route(made.method, pattern, [number, parameters, made](http::request& r) {
            std::string text = std::to_string(number);
            for (std::size_t p = 0; p < parameters; ++p) {
                if (made.segments[p].what == kind::text) continue;
                text += '|' + r.path<std::string>("p" + std::to_string(p));
            }
            return text;
        });
        routes.push_back(std::move(made));
    }
    app.freeze();
    for (int asked = 0; asked < 20; ++asked) {
        std::vector<std::string> path;
        std::string target;
        for (std::size_t i = 0; i < 1 + below(random, 4); ++i) {
            path.emplace_back(words[below(random, words.size())]);
            target += '/' + spelled(random, path.back());
        }
        http::method const method = methods[below(random, methods.size())];
        auto const expected = best(routes, method, path);
        std::string text = "none";
        if (expected) {
            text = std::to_string(*expected);
            for (std::size_t p = 0; p < routes[*expected].segments.size(); ++p) {
                kind const what = routes[*expected].segments[p].what;
                if (what == kind::text) continue;
                text += '|' + path[p];
                if (what != kind::wildcard) continue;
                for (std::size_t rest = p + 1; rest < path.size(); ++rest) text += '/' + path[rest];
            }
        }
        CAPTURE(target);
        test::request_maker made(method, target);
        http::handler const chosen = app.choose(made.req);
        http::response const answer = chosen.plain(chosen.object, made.req);
        bool const answered = answer.status() == http::status::ok;
        CHECK((answered ? std::string(answer.text()) : "none") == text);
    }
}

}  // namespace

TEST_CASE("the router agrees with the rules over random routes and paths") {
    generator random(20260101);
    for (int round = 0; round < 3000; ++round) compare_once(random);
}
