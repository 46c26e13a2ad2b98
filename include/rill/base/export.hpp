// Which names the shared library shows. Everything else is hidden.
#pragma once

#define RILL_API [[gnu::visibility("default")]]
