import type { StatementQuery, StatementRow } from '@searchgate/core/administration';
import { type Command, Option } from 'commander';
import { usd } from '../../usd.js';
import { id, moment } from '../option-values.js';
import { amountsJson } from '../present.js';
import type { Report } from '../report.js';
import type { Runner } from '../runner.js';
import { table } from '../table.js';

type Grouping = StatementQuery['by'];

interface UsageOptions {
  readonly by: Grouping;
  readonly since?: string;
  readonly until?: string;
  readonly org?: string;
  readonly key?: string;
}

const GROUPINGS: readonly Grouping[] = ['organization', 'key', 'model', 'day'];

export function addUsageCommand(program: Command, { report }: Runner): void {
  program
    .command('usage')
    .description('sum up what was charged by organization, key, model or day')
    .addOption(new Option('--by <group>', 'what a line is of').choices([...GROUPINGS]).default('organization'))
    .option('--since <time>', 'from when on', moment)
    .option('--until <time>', 'until when, itself not included', moment)
    .option('--org <id>', 'of one organization', id)
    .option('--key <id>', 'of one key', id)
    .action(({ by, since, until, org, key }: UsageOptions) =>
      report(async ({ administration }) =>
        usageReport(
          by,
          await administration.statement({
            by,
            ...(since === undefined ? {} : { from: since }),
            ...(until === undefined ? {} : { to: until }),
            ...(org === undefined ? {} : { organizationId: org }),
            ...(key === undefined ? {} : { keyId: key }),
          }),
        ),
      ),
    );
}

function usageReport(by: Grouping, rows: readonly StatementRow[]): Report {
  const lines = rows.length > 1 ? [...rows, sumOf(rows)] : rows;
  const text = table<StatementRow>(
    [
      { title: by, of: ({ group }) => group ?? '–' },
      { title: 'answers', align: 'right', of: ({ charges }) => String(charges) },
      { title: 'charged', align: 'right', of: ({ charged }) => usd(charged) },
      { title: 'adjusted', align: 'right', of: ({ adjusted }) => usd(adjusted) },
      { title: 'granted', align: 'right', of: ({ granted }) => usd(granted) },
      { title: 'lost', align: 'right', of: ({ lost }) => usd(lost) },
    ],
    lines,
  );
  return { text: rows.length === 0 ? 'Nothing happened in that time.' : text, json: rows.map(rowJson) };
}

function rowJson({ group, charges, charged, adjusted, granted, lost }: StatementRow): object {
  return { group, charges, ...amountsJson({ charged, adjusted, granted, lost }) };
}

function sumOf(rows: readonly StatementRow[]): StatementRow {
  return rows.reduce((sum, row) => ({
    group: 'in all',
    charges: sum.charges + row.charges,
    charged: sum.charged + row.charged,
    adjusted: sum.adjusted + row.adjusted,
    granted: sum.granted + row.granted,
    lost: sum.lost + row.lost,
  }));
}
