"""Files and folders: written whole or not at all, whoever else writes there."""
