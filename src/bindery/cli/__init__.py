from bindery.cli.main import main

__all__ = ["main"]
