"""The dashboard: what a steward sees of a service, as pages made from one frozen record each."""
