"""The demo: when each technique pays, and when it does not."""
