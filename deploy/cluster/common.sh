# Read by the other scripts: where everything is, and on which ports. Nothing here is a secret.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Everything that the cluster writes, one folder a part; its own account alone may enter.
folder=${CLUSTER_FOLDER:-$PWD/.cluster}
# Added to every port, for a second cluster on the same machine.
shift_by=${CLUSTER_PORTS:-0}
postgres_programs=${CLUSTER_POSTGRES:-/usr/lib/postgresql/15/bin}
nodes="1 2 3"

primary_port=$((5000 + shift_by))
replica_port=$((5001 + shift_by))
pooler_port=$((6432 + shift_by))
postgres_port() { echo $((5431 + $1 + shift_by)); }
rest_port() { echo $((8007 + $1 + shift_by)); }
etcd_port() { echo $((2377 + 2 * $1 + shift_by)); }
peer_port() { echo $((2378 + 2 * $1 + shift_by)); }

say() { printf '%s\n' "$*"; }
refuse() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 2; }

# Older ones, Debian 12's 3.0.2 among them, keep the lead in etcd without looking whose it is: a node that was frozen
# between asking who leads and saying that it does takes the lead back from its successor, and the cluster never
# becomes whole again.
oldest_patroni=3.0.3
check_patroni() {
    local found
    found=$(patroni --version | awk '{print $NF}')
    [ "$(printf '%s\n' "$oldest_patroni" "$found" | sort --version-sort | head -n 1)" = "$oldest_patroni" ] ||
        refuse "Patroni $found lets a node that was frozen take the lead back from its successor; $oldest_patroni or newer is needed: pip install 'patroni[etcd3]' psycopg2-binary, before Debian's on the PATH."
}

not_as_root() {
    [ "$(id -u)" != 0 ] || refuse "PostgreSQL does not run as root: use another account, such as \`runuser -u postgres -- $0\`."
}

# Whether the process of a pid file is alive.
is_running() { [ -s "$1" ] && kill -0 "$(cat "$1")" 2>/dev/null; }

# Start a program in the background: its name, then the command; log and pid are in its folder.
launch() {
    local name=$1
    shift
    mkdir -p "$folder/$name"
    if is_running "$folder/$name/pid"; then return; fi
    # Without our standard streams, so that whoever started this is not kept waiting.
    setsid "$@" </dev/null >>"$folder/$name/log" 2>&1 &
    echo $! >"$folder/$name/pid"
}

# Wait for a command to succeed: how many seconds, what for, then the command.
wait_for() {
    local until=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $until ] || refuse "$what did not come up in time; the logs are in $folder."
        sleep 0.2
    done
}

# Which node takes writes; nothing where none does.
leader() {
    local node
    for node in $nodes; do
        if curl --silent --fail --max-time 2 --output /dev/null "http://127.0.0.1:$(rest_port "$node")/primary"; then
            echo "$node"
            return
        fi
    done
}

has_leader() { [ -n "$(leader)" ]; }

# Whether every node runs, one of them leads, and one is its synchronous standby.
is_whole() {
    local node
    has_leader || return 1
    for node in $nodes; do
        curl --silent --fail --max-time 2 --output /dev/null "http://127.0.0.1:$(rest_port "$node")/health" || return 1
    done
    for node in $nodes; do
        if curl --silent --fail --max-time 2 --output /dev/null "http://127.0.0.1:$(rest_port "$node")/synchronous"; then return 0; fi
    done
    return 1
}

# Fill the places of a template, which look like @this@.
fill() {
    local text
    text=$(cat "$here/$1")
    shift
    while [ $# -gt 0 ]; do
        text=${text//@$1@/$2}
        shift 2
    done
    printf '%s\n' "$text"
}
