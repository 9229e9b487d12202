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
