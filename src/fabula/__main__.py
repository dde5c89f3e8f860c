"""``python -m fabula``: the command line, where the program ``fabula`` is not on the path."""

from fabula.cli import main

if __name__ == "__main__":
    main()
