"""The compiled search; see ``search.pyi`` for what Python code may call."""
