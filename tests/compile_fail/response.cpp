// An answer holds text that outlives it: owned, or part of the program.
#include "rill/http/response.hpp"

#include <string>

rill::http::response use() {
    return rill::http::to_response("text");
}
rill::http::literal fixed() {
    return "text";
}

#if MUST_NOT_COMPILE == 1  // expect: would dangle
rill::http::response view(std::string_view text) {
    return rill::http::to_response(text);
}
#endif
#if MUST_NOT_COMPILE == 2  // expect: would dangle
rill::http::response pointer(char* text) {
    return rill::http::to_response(text);
}
#endif
#if MUST_NOT_COMPILE == 3  // expect: would dangle
rill::http::response span(rill::bytes text) {
    return rill::http::to_response(text);
}
#endif
#if MUST_NOT_COMPILE == 4  // expect: constant expression
rill::http::literal text() {
    char const local[] = "text";
    return rill::http::literal(local);
}
#endif
#if MUST_NOT_COMPILE == 5  // expect: deleted.* constructor|deleted function
rill::http::response copy(rill::http::response const& answer) {
    return answer;
}
#endif
