"""What a run keeps on disk, whole or not at all."""
