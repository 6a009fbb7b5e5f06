"""The figures of runs: how they compare, how sure they are, and what must be known of them."""
