"""The client of the service, for applications that fetch what they may have."""

from unspoken.interfaces.client import Answer, Client, ReleasedCells

__all__ = ["Answer", "Client", "ReleasedCells"]
