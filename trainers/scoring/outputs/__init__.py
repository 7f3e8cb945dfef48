"""What scoring leaves: a folder with files of rows."""
