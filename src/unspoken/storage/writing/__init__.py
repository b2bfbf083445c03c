"""What leaves the holder: files that appear whole, each with its manifest."""
