"""What is scored: shards of the data, and the images in them."""
