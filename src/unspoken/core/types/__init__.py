"""What numbers and names are made of: bounds, domains, channels, posteriors."""
