"""`python -m support.supervised COUNT HUNG_AFTER_S MODE`: copies that beat, stand still or end at once."""

import signal
import sys
import time
from functools import partial

from bindery.logs import configure_logs
from bindery.server.prefork import Beat, end_with_parent
from bindery.server.supervisor import Supervisor


def work(mode: str, beat: Beat) -> None:
    end_with_parent()
    if mode == "ends":
        sys.exit(7)
    if mode == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    beat()
    # Tests see by this that it has begun.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        beat()
        time.sleep(0.05)


if __name__ == "__main__":
    configure_logs("info")
    count, hung_after_s, chosen = sys.argv[1:]
    Supervisor(partial(work, chosen), int(count), ends_within_s=2, hung_after_s=float(hung_after_s)).run()
