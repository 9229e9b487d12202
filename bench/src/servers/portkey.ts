import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const PORTKEY_VERSION = '1.15.2';

const CACHE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), `../../portkey-${PORTKEY_VERSION}`);
const SERVER = path.join(CACHE, 'node_modules/@portkey-ai/gateway/build/start-server.js');
const INSTALL_TIMEOUT_MS = 120_000;
const INSTALL = [
  'install',
  '--no-save',
  '--ignore-scripts',
  '--omit=dev',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];

/**
 * Installs Portkey's gateway into the cache of this package, once; it is no dependency of the workspace.
 *
 * @returns the script that starts it. @throws Error when it cannot be installed.
 */
export async function installPortkey(): Promise<string> {
  if (existsSync(SERVER)) return SERVER;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(path.join(CACHE, 'package.json'), JSON.stringify({ name: 'portkey-for-the-benchmark', private: true }));
  await promisify(execFile)('npm', [...INSTALL, `@portkey-ai/gateway@${PORTKEY_VERSION}`], {
    cwd: CACHE,
    env: withoutPackageManagerSettings(),
    timeout: INSTALL_TIMEOUT_MS,
  });
  return SERVER;
}

/** The settings that pnpm and npx put into the environment mislead an npm started below them. */
function withoutPackageManagerSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(registry|cache|userconfig)$)/i.test(name)),
  );
}
