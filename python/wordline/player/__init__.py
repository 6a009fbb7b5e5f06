"""Recordings of runs, and the page that plays them."""
