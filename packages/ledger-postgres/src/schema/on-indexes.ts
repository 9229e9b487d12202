/**
 * The settings of every function that reads a growing table: its statements see this schema alone and are planned on its indexes, in the order an
 * index has.
 *
 * A plan in a function is made once for each connection and kept. Made while a table is small it would read the whole table, and go on doing so
 * when the table has grown; made without statistics it might sort all entries of an organization for one page. So the planner may not guess: each
 * statement is written so that one index serves it, and the other ways are switched off.
 */
export const ON_INDEXES = `SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan`;

/** A function that answers a query and changes nothing. @param signature its name and arguments. @param settings beside {@link ON_INDEXES}. */
export function reader(signature: string, query: string, settings = ''): string {
  return `
CREATE OR REPLACE FUNCTION ${signature} RETURNS json LANGUAGE plpgsql STABLE ${ON_INDEXES} ${settings} AS $$
BEGIN
  RETURN (${query});
END $$;
`;
}

/** Removes at most so many rows whose time is before a bound, the earliest first, without those that others have locked, and adds how many to `forgotten`. */
export function forgetRows(table: string, atMs: string, bound: string): string {
  return `WITH gone AS (
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT r.ctid FROM ${table} r WHERE r.${atMs} ${bound} ORDER BY r.${atMs} LIMIT most FOR UPDATE SKIP LOCKED
    )) RETURNING 1
  ) SELECT forgotten + count(*) INTO forgotten FROM gone;`;
}

/** A function that forgets such rows. @param keepMs how long they are kept. */
export function forgetter(signature: string, rows: { table: string; atMs: string; keepMs: string }): string {
  return `
CREATE OR REPLACE FUNCTION ${signature} RETURNS int8 LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  -- A variable: a comparison with a function that may change its mind reads the whole index.
  before_ms int8 := coalesce(given_now_ms, server_now_ms()) - ${rows.keepMs};
  forgotten int8 := 0;
BEGIN
  ${forgetRows(rows.table, rows.atMs, '< before_ms')}
  RETURN forgotten;
END $$;
`;
}
