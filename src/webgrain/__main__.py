"""``python -m webgrain`` is the command ``webgrain``."""

from webgrain.cli.main import main

if __name__ == "__main__":
    main()
