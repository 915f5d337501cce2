from bindery.base.errors import Misconfigured


def misconfigured(what: str, log: str = "") -> Misconfigured:
    """Word why there is no embedded server, with the way out and what PostgreSQL logged."""
    sentence = f"{what}; set BINDERY_DATABASE_URL to use your own PostgreSQL."
    return Misconfigured(f"{sentence}\n{log}" if log else sentence)
