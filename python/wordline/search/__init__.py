"""Searching a space of drives for those that no other one beats in every aim."""
