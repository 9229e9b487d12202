import type { Handle } from './drivers.js';

/** How much SQLite has done for one statement. */
export interface StatementWork {
  readonly sql: string;
  /** How often it was run. */
  readonly runs: number;
  /** Instructions of SQLite's virtual machine, in all runs together: https://www.sqlite.org/stmt.html (2026-11-22). */
  readonly steps: number;
}

const READ_WORK = 'SELECT sql, run AS runs, nstep AS steps FROM sqlite_stmt';

/** What each statement of a handle has done while `work` ran. Nothing here depends on how busy the machine is. */
export async function workDuring(database: Handle, work: () => Promise<unknown>): Promise<StatementWork[]> {
  const before = new Map(workSoFar(database).map((each) => [each.sql, each]));
  await work();
  return workSoFar(database)
    .map(({ sql, runs, steps }) => {
      const earlier = before.get(sql) ?? { runs: 0, steps: 0 };
      return { sql, runs: runs - earlier.runs, steps: steps - earlier.steps };
    })
    .filter(({ runs }) => runs > 0);
}

export function stepsOf(work: readonly StatementWork[]): number {
  return work.reduce((sum, { steps }) => sum + steps, 0);
}

function workSoFar(database: Handle): StatementWork[] {
  const rows = database.prepare(READ_WORK).all() as StatementWork[];
  return rows.filter(({ sql }) => sql !== READ_WORK);
}
