"""The page on attacks: what each reached, beside what is claimed."""
