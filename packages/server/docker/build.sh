#!/bin/sh
# Builds the server with its dependencies into a new folder, for the Dockerfile and for `npm run check:pack`.
# Run it only in a copy of the repository without node_modules: it changes the copy.
# Usage: packages/server/docker/build.sh <folder>
set -eu
[ $# -eq 1 ] || { echo "usage: $0 <folder>" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
target=$(cd "$1" && pwd)
cd "$here/../../.."
[ ! -e node_modules ] || { echo "run it in a copy of the repository without node_modules" >&2; exit 2; }

pnpm() { npx -y pnpm@10.34.9 "$@"; }
pnpm install --frozen-lockfile
node node_modules/typescript7/bin/tsc -b packages/server
pnpm --filter-prod '@searchgate-internal/image...' run bundle
# A flat node_modules, in which the server finds its optional packages, such as the Redis driver.
pnpm --filter @searchgate-internal/image deploy --legacy --prod --config.node-linker=hoisted "$target"
