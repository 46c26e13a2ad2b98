// A request stays where it is, and its parameters become types that can be read from text.
#include "rill/http/request.hpp"

#include <utility>

int use(rill::http::request& req) {
    return req.path<int>("id");
}

#if MUST_NOT_COMPILE == 1  // expect: use of deleted function|call to deleted constructor
rill::http::request copy(rill::http::request const& req) {
    return req;
}
#endif
#if MUST_NOT_COMPILE == 2  // expect: use of deleted function|call to deleted constructor
rill::http::request take(rill::http::request& req) {
    return std::move(req);
}
#endif
#if MUST_NOT_COMPILE == 3  // expect: no matching function
char const* pointer(rill::http::request& req) {
    return req.path<char const*>("id");
}
#endif
