import Libsql from 'libsql';
import type { SqliteDatabase } from '../src/index.js';

/** An open handle that a test can close. */
export interface Handle extends SqliteDatabase {
  close(): unknown;
}

export interface Driver {
  readonly name: string;
  readonly open: (file: string) => Handle;
}

export const NODE_MAJOR = Number(process.versions.node.split('.')[0]);

/** Works on every Node we support, so what is not about drivers is tested with it. */
export const libsql: Driver = { name: 'libsql', open: (file) => new Libsql(file) };

/** A driver that this Node cannot load, and why: Node 20 has no `node:sqlite`, and better-sqlite3 13 would crash it, since it has an older Node-API. */
export interface MissingDriver {
  readonly name: string;
  readonly needsNode: number;
}

const OTHERS = [
  { name: 'better-sqlite3', needsNode: 22, className: 'default' },
  { name: 'node:sqlite', needsNode: 22, className: 'DatabaseSync' },
] as const;

export const MISSING: readonly MissingDriver[] = OTHERS.filter(({ needsNode }) => NODE_MAJOR < needsNode);

/** Every driver there is on this Node. */
export const DRIVERS: readonly Driver[] = [
  libsql,
  ...(await Promise.all(
    OTHERS.filter(({ needsNode }) => NODE_MAJOR >= needsNode).map(async ({ name, className }): Promise<Driver> => {
      const { [className]: Database } = (await import(name)) as Record<string, new (file: string) => Handle>;
      if (Database === undefined) throw new Error(`${name} exports no ${className}`);
      return { name, open: (file) => new Database(file) };
    }),
  )),
];
