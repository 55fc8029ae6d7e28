#!/bin/sh
# npm start: sh scripts/start.sh <pid of npm> [arguments]. On a fresh clone installs what is needed, then becomes the
# server with embedded defaults: nothing of the start stays in memory beside it.
starter=$1
shift
scripts=$(dirname "$0")
prepared=$(node "$scripts/prepare-start.mjs" --started-by $$ "$@") || exit
eval "$prepared"
exec "$node" --disable-sigusr1 "$main" --started-by "$starter" "$@"
