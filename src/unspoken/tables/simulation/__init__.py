"""Simulated tables to try things on; every draw comes from a generator that is handed in."""

from unspoken.tables.simulation.building import building

__all__ = ["building"]
