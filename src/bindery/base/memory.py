import gc


def keep_for_good() -> None:
    """Exempt everything allocated so far from garbage collection.

    A process makes its tables, schemas and parsers when it starts and keeps them to its end. Going through
    all of them takes a tenth of a second, during which nothing else happens.
    """
    gc.collect()
    gc.freeze()
