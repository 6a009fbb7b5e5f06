"""The compiled part: its functions, and the types of what they return."""
