"""`python -m wordline` is the command line."""

from wordline.cli import main

main()
