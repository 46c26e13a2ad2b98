// message: what one thread sends to the core of another.
#pragma once

#include "rill/coro/executor.hpp"

namespace rill {

class mailbox;

/// Something that another thread sends to a core and that runs there once. It may destroy itself
/// then, or be sent again.
class message : public ready_node {
protected:
    message() noexcept = default;
    ~message() = default;

private:
    friend class mailbox;
    message* next_message_ = nullptr;
};

}  // namespace rill
