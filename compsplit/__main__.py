"""``python -m compsplit`` is the command ``compsplit``."""

from compsplit.cli import main

main()
