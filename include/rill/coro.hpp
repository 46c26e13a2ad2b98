// All of rill's coroutine layer: tasks, groups, combinators and what coroutines of a core share.
#pragma once

#include "rill/coro/as_result.hpp"
#include "rill/coro/awaitable.hpp"
#include "rill/coro/chain.hpp"
#include "rill/coro/channel.hpp"
#include "rill/coro/child.hpp"
#include "rill/coro/event.hpp"
#include "rill/coro/executor.hpp"
#include "rill/coro/mutex.hpp"
#include "rill/coro/operation.hpp"
#include "rill/coro/semaphore.hpp"
#include "rill/coro/shield.hpp"
#include "rill/coro/task.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
