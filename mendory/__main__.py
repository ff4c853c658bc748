"""`python -m mendory`."""

from mendory.cli import main

main()
