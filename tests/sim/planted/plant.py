#!/usr/bin/env python3
"""Plants a fault in a copy of one of rill's files: plant.py NAME INPUT OUTPUT.

The test of the tests: a program with the copy instead of the file must be found out by the seeds.
A place that is not found exactly once is an error: the file has changed, and so must this table.
"""

import sys

# name -> (text in the file, what stands there instead)
FAULTS = {
    "last_chunk_dropped": (
        "static_cast<void>(output.append(http1::last_chunk));",
        "static_cast<void>(http1::last_chunk);",
    ),
    "answers_out_of_order": (
        "    bool const complete = write_answer(home_, output_, answer, frame_);",
        """    buffer before = std::exchange(output_, home_.take_buffer());
    bool const complete = write_answer(home_, output_, answer, frame_);
    static_cast<void>(output_.append(before.view()));""",
    ),
    "lease_kept": (
        """    input_.settle();
    // Answers that are ready do not wait for it.""",
        """    // Answers that are ready do not wait for it.""",
    ),
    "timer_not_cancelled": (
        """    if (on_stream_timer_) {
        to_.clear_deadline(byte_stream::write_deadline);
    } else""",
        """    if (on_stream_timer_) {
    } else""",
    ),
}


def main():
    name, source, target = sys.argv[1:]
    old, new = FAULTS[name]
    with open(source, encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        sys.exit(f"{source}: the place of the planted fault '{name}' is not there exactly once: {old!r}")
    with open(target, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


if __name__ == "__main__":
    main()
