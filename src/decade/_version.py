"""The version, in the one place that both the build and the program read."""

__version__ = "0.1.0"
