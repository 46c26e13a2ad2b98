// What an error says, for tests of registration.
#pragma once

#include <string>

#include "rill/base/error.hpp"

namespace rill::test {

// The text of the error that registering throws; empty when it does not.
inline std::string refusal(auto&& registering) {
    try {
        registering();
    } catch (error const& e) {
        return e.what();
    }
    return {};
}

}  // namespace rill::test
