// The one exception of the load generator: a wrong answer, a lost connection, a bad option.
#pragma once
#include <stdexcept>

namespace load {

class failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace load
