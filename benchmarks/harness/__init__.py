"""The benchmark harness: servers, load, interleaving, statistics, bars and reports."""
