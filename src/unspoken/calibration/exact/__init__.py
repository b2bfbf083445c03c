"""The least scale of noise, by search over everybody who may look."""
