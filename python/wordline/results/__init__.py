"""What runs leave: results as objects, frames, tables, folders and in a store."""
