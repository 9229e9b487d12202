import type { PostgresQuery } from '@searchgate/ledger-postgres';
import { withNames } from '../hold-and-settle.js';

/** As many digits as there can be without losing one, and always as many, so that an id is as long as any. */
const HOLDS = 'random(1000000000000000, 8999999999999999)';
/** Each ends the text it stands in, and begins it anew. */
const VARIABLES = {
  holdId: "ans_0000000000' || :hold::text || '",
  organizationId: "organization-' || :organization::text || '",
};

/** What the ledger sends for a pair, as a script of pgbench: a new hold each time, and an organization at random. */
export function pgbenchScript(statements: readonly PostgresQuery[], organizations: number): string {
  return [
    `\\set hold ${HOLDS}`,
    `\\set organization random(0, ${organizations - 1})`,
    ...statements.map((statement) => `${sqlOf(statement)};`),
    '',
  ].join('\n');
}

function sqlOf({ text, values = [] }: PostgresQuery): string {
  return text.replace(/\$(\d+)/g, (_, number: string) => literal(values[Number(number) - 1]));
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `(${batchLiteral(value)})::json`;
  throw new TypeError(`a value of type ${typeof value} cannot be sent by pgbench`);
}

/** A space behind each colon keeps pgbench from taking what follows for a variable. */
function batchLiteral(batch: string): string {
  const text = batch.replaceAll('":', '": ').replaceAll("'", "''");
  return `'${withNames(text, VARIABLES)}'`;
}
