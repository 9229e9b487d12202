/*
 * Installs the workspace before a command that needs it, also in a bare clone. Without changes since the last installation it takes about
 * 50 ms and prints nothing; pnpm alone would take a second.
 *
 * With the name of an example, it installs only what the example runs, unless the whole workspace was installed before.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const example = process.argv.at(2);

/** The file that is written after an installation: of the workspace, or of one example. */
function stampOf(name) {
  return join(root, 'node_modules', '.cache', name);
}

/** Time of the last change of a file; 0 for a missing file. */
function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The files that determine the installation. */
function manifests() {
  const folders = ['packages', 'examples', 'tools'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(parent, name)),
  );
  const ofFolders = ['.', 'packages/dashboard/page', ...folders].map((folder) => join(folder, 'package.json'));
  return ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...ofFolders].map((path) => join(root, path));
}

/** For an example: what runs it from source, which the root depends on, its own dependencies, and what builds the page. */
function installArguments() {
  if (isWhole) return ['install'];
  const packages = ['searchgate-workspace', `@searchgate-examples/${example}`, '@searchgate-internal/dashboard-page'];
  return ['install', '--prod', ...packages.flatMap((name) => ['--filter-prod', `${name}...`])];
}

function install() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // On stderr, so that the command's output can be piped.
  const { status } = spawnSync('npx', ['-y', packageManager, ...installArguments()], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, '');
}

/** A smaller installation would remove what the others need, and the tools that a plain `pnpm install` brought. */
const isWhole =
  example === undefined || changedAt(stampOf('installed')) > 0 || changedAt(join(root, 'node_modules/vitest')) > 0;
const stamp = stampOf(isWhole ? 'installed' : `installed-${example}`);
const installedAt = changedAt(stamp);
if (manifests().some((path) => changedAt(path) >= installedAt)) install();
