"""Run the command line as ``python -m decade``."""

from decade.cli import main

main()
