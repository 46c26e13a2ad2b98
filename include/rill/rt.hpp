// All of layer rt: cores, time, signals, other cores, other threads and blocking work.
#pragma once

// IWYU pragma: begin_exports
#include "rill/rt/blocking.hpp"
#include "rill/rt/completion.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/foreign.hpp"
#include "rill/rt/foreign_event.hpp"
#include "rill/rt/frame_pool.hpp"
#include "rill/rt/lease.hpp"
#include "rill/rt/message.hpp"
#include "rill/rt/per_core.hpp"
#include "rill/rt/post.hpp"
#include "rill/rt/ready.hpp"
#include "rill/rt/request.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/run_on.hpp"
#include "rill/rt/signals.hpp"
#include "rill/rt/simulation.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/rt/timer_wheel.hpp"
// IWYU pragma: end_exports
