#!/bin/sh
# Builds the server with all it needs to run into a new folder. The Dockerfile runs it, and so does `npm run check:pack`, outside of Docker.
# Usage: packages/server/docker/build.sh <folder>
set -eu
[ $# -eq 1 ] || { echo "usage: $0 <folder>" >&2; exit 2; }
mkdir -p "$1"
target=$(cd "$1" && pwd)
[ -z "$(ls -A "$target")" ] || { echo "$target is not empty" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."

pnpm() { npx -y pnpm@10.34.9 "$@"; }
[ -d node_modules ] || pnpm install --frozen-lockfile
pnpm --filter-prod '@searchgate-internal/image...' run build
# pnpm would take what it installs next for the state of this workspace, and remove the workspace's tools when it runs again.
state=node_modules/.pnpm-workspace-state-v1.json
saved=$(mktemp)
cp "$state" "$saved"
trap 'mv "$saved" "$state"' EXIT
# A flat node_modules, in which the server finds what it can do without, such as the driver of Redis.
pnpm --filter @searchgate-internal/image deploy --legacy --prod --config.node-linker=hoisted "$target"
find "$target" -name '*.map' -delete
cp "$here/healthcheck.mjs" "$target"
