import type pg from 'pg';
import { GROWING_TABLES } from './filled-tables.js';

const GROWING: ReadonlySet<string> = new Set(GROWING_TABLES);

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
  /** How the statements run since the last call have read the tables that grow. */
  take(): TableRead[];
}

/** One node of a plan that read a table. */
interface TableRead {
  readonly table: string;
  readonly by: string;
  /** How many rows it looked at. */
  readonly rows: number;
  readonly statement: string;
}

const SETTINGS = [
  'session_preload_libraries=auto_explain',
  'auto_explain.log_min_duration=0',
  'auto_explain.log_analyze=on',
  'auto_explain.log_timing=off',
  'auto_explain.log_nested_statements=on',
  'auto_explain.log_format=json',
  'auto_explain.log_level=notice',
];

/** Lets every connection of the pool report the plan of each statement it runs: https://www.postgresql.org/docs/15/auto-explain.html (2026-11-22). */
export function recordPlans(pool: pg.Pool): PlanRecorder {
  let statements: ExplainedStatement[] = [];
  Object.assign(pool.options, { options: SETTINGS.map((setting) => `-c ${setting}`).join(' ') });
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const plan = /^duration: [\s\S]*? plan:\s*(\{[\s\S]*\})$/.exec(message)?.[1];
      if (plan !== undefined) statements.push(JSON.parse(plan) as ExplainedStatement);
    });
  });
  return {
    take() {
      const taken = statements;
      statements = [];
      return taken.flatMap(({ Plan, 'Query Text': statement }) =>
        nodesOf(Plan).flatMap((node) => readOf(node, statement)),
      );
    },
  };
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function readOf(node: PlanNode, statement: string): TableRead[] {
  const { 'Node Type': type, 'Index Name': index } = node;
  // A scan that only makes a bitmap of an index names no table.
  const table = node['Relation Name'] ?? GROWING_TABLES.find((name) => index?.startsWith(`${name}_`));
  if (table === undefined || !GROWING.has(table) || type === 'ModifyTable') return [];
  const perLoop = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'] as const;
  const rows = perLoop.reduce((sum, name) => sum + (node[name] ?? 0), 0) * (node['Actual Loops'] ?? 1);
  return [{ table, by: index === undefined ? type : `${type} ${index}`, rows, statement }];
}
