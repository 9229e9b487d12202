import { execFileSync } from 'node:child_process';

/** Stryker 10 needs this version. */
const OLDEST_MAJOR = 22;
const VERSION = '22.23.3';

/** A Node binary that can run Stryker: the running one, or one from npm. */
export function findNewerNode(): string {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_MAJOR) return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  // These packages contain the binary and need no install script, which newer versions of npm would not run.
  const spec = `node-${platform}-${process.arch}@${VERSION}`;
  const print = 'node -p "process.execPath"';
  const path = execFileSync('npx', ['-y', '-p', spec, '-c', print], { encoding: 'utf8' }).trim();
  const found = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim();
  if (found !== `v${VERSION}`) throw new Error(`npm brought Node ${found} instead of ${VERSION}.`);
  return path;
}
