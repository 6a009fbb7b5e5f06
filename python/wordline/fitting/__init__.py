"""A user's own drive: from a log of its counters to a configuration with two fitted numbers."""
