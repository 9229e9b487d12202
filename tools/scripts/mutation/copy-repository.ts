import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that differ from HEAD, as `git status` prints them. */
export function uncommittedFiles(root: string): string[] {
  const status = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  return status.split('\n').filter((line) => line !== '');
}

/** Copies HEAD into an empty folder and installs its dependencies. */
export function copyRepository(root: string, copy: string): void {
  execFileSync('git', ['clone', '--quiet', '--shared', root, copy], { stdio: 'inherit' });
  const { packageManager } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as { packageManager: string };
  const install = ['-y', packageManager, 'install', '--frozen-lockfile', '--prefer-offline'];
  execFileSync('npx', install, { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] });
}
