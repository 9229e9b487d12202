import type pg from 'pg';

/** A node of a plan as auto_explain writes it, with what it did. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** One statement, also one inside of a function, and how it was run. */
interface ExplainedStatement {
  readonly 'Query Text': string;
  readonly Plan: PlanNode;
}

export interface PlanRecorder {
  /** How the statements run since the last call have read the given tables. */
  take(tables: readonly string[]): TableRead[];
}

/** One node of a plan that read a table. */
export interface TableRead {
  readonly table: string;
  readonly by: string;
  /** How many rows it looked at. */
  readonly rows: number;
  readonly statement: string;
}

/** Lets every connection of the pool report the plan of each statement it runs: https://www.postgresql.org/docs/15/auto-explain.html (2026-11-22). */
export function recordPlans(pool: pg.Pool, settings: readonly string[] = []): PlanRecorder {
  let statements: ExplainedStatement[] = [];
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const plan = /^duration: [\s\S]*? plan:\s*(\{[\s\S]*\})$/.exec(message)?.[1];
      if (plan !== undefined) statements.push(JSON.parse(plan) as ExplainedStatement);
    });
    void client.query(
      [
        `LOAD 'auto_explain'`,
        'SET auto_explain.log_min_duration = 0',
        'SET auto_explain.log_analyze = on',
        'SET auto_explain.log_timing = off',
        'SET auto_explain.log_nested_statements = on',
        'SET auto_explain.log_format = json',
        'SET auto_explain.log_level = notice',
        ...settings,
      ].join(';'),
    );
  });
  return {
    take(tables) {
      const taken = statements;
      statements = [];
      return taken.flatMap(({ Plan, 'Query Text': statement }) =>
        nodesOf(Plan).flatMap((node) => readOf(node, statement, tables)),
      );
    },
  };
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function readOf(node: PlanNode, statement: string, tables: readonly string[]): TableRead[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index } = node;
  if (table === undefined || !tables.includes(table) || type === 'ModifyTable') return [];
  const perLoop = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'] as const;
  const rows = perLoop.reduce((sum, name) => sum + (node[name] ?? 0), 0) * (node['Actual Loops'] ?? 1);
  return [{ table, by: index === undefined ? type : `${type} ${index}`, rows, statement }];
}
