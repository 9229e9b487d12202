/*
 * Installs the workspace before a command that needs it, also in a bare clone. Without changes since the last installation it takes about
 * 50 ms and prints nothing; pnpm alone would take a second.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
/** Written after each installation. */
const stamp = join(root, 'node_modules', '.cache', 'installed');

/** Time of the last change of a file; 0 for a missing file. */
function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The files that determine the installation. */
function manifests() {
  const folders = ['packages', 'examples', 'tools'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(parent, name)),
  );
  const ofFolders = ['.', ...folders].map((folder) => join(folder, 'package.json'));
  return ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...ofFolders].map((path) => join(root, path));
}

function install() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // On stderr, so that the command's output can be piped.
  const { status } = spawnSync('npx', ['-y', packageManager, 'install'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, '');
}

const installedAt = changedAt(stamp);
if (manifests().some((path) => changedAt(path) >= installedAt)) install();
