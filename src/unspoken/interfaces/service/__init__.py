"""The service: the curator over HTTP. FastAPI and uvicorn, an extra, are imported in here alone."""
