// The answers to a request to change the protocol. RFC 9110 sections 7.8 and 15.5.22.
#include "rill/http/upgrade.hpp"

#include "rill/http/problem.hpp"

namespace rill::http {

response detail::upgrade_answer(request const& req, std::string_view protocol,
                                upgrade_session session) {
    bool const offered = req.upgrades_to(protocol);
    response answer = offered ? response(status::switching_protocols, std::move(session), {})
                              : to_response(problem(status::upgrade_required));
    // The connection writes the Connection field that belongs to it.
    answer.headers().set("upgrade", protocol);
    return answer;
}

}  // namespace rill::http
