// What most programs include: router and server, handlers, requests and answers.
#pragma once

#include "rill/coro/task.hpp"
#include "rill/http/problem.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"
#include "rill/web/router.hpp"
#include "rill/web/server.hpp"
