import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Where Debian and Ubuntu keep one folder for each major version of PostgreSQL; it is not on the PATH. */
const POSTGRES_FOLDER = '/usr/lib/postgresql';

/** The path of a tool of PostgreSQL or Redis, the newest; undefined where there is none. */
export function findProgram(name: string): string | undefined {
  const folders = [...postgresFolders(), ...(process.env['PATH'] ?? '').split(path.delimiter)];
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

function postgresFolders(): string[] {
  if (!existsSync(POSTGRES_FOLDER)) return [];
  const versions = readdirSync(POSTGRES_FOLDER).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => path.join(POSTGRES_FOLDER, version, 'bin'));
}
