import { createHash } from 'node:crypto';
import { codeOf } from './is-transient.js';
import type { PostgresQuery } from './postgres-pool.js';

export interface Statements {
  /** A statement as the driver takes it: with a name, it is prepared once for each connection. */
  of(text: string): PostgresQuery;
  /**
   * Whether an error says that a name is unknown to a connection, or known already: this happens where connections to the server are shared
   * without the driver's knowledge, as by a PgBouncer in transaction mode. The statement was not run. From then on no names are given.
   */
  giveUpNames(error: unknown): boolean;
}

/**
 * invalid_sql_statement_name and duplicate_prepared_statement (https://www.postgresql.org/docs/15/errcodes-appendix.html, 2026-11-22). PgBouncer
 * follows names since 1.21, and only with `max_prepared_statements` (https://www.pgbouncer.org/config.html, 2026-11-22).
 */
const NAME_CODES: ReadonlySet<string> = new Set(['26000', '42P05']);

/** @param named whether statements are prepared by name, until an error says otherwise. */
export function createStatements(named: boolean): Statements {
  const names = new Map<string, string>();
  let isNamed = named;

  return {
    of(text) {
      if (!isNamed) return { text };
      let name = names.get(text);
      if (name === undefined) {
        name = `searchgate_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
        names.set(text, name);
      }
      return { name, text };
    },
    giveUpNames(error) {
      if (!named || !NAME_CODES.has(codeOf(error) ?? '')) return false;
      isNamed = false;
      return true;
    },
  };
}
