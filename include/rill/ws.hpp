// What programs with WebSockets include beside rill/web.hpp.
#pragma once

#include "rill/ws/accept.hpp"
#include "rill/ws/connect.hpp"
#include "rill/ws/socket.hpp"
