"""The league: techniques and erase schemes, each beside the conventional drive on its own flash."""
