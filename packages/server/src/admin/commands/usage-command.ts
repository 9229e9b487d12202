import type { StatementQuery, StatementRow } from '@searchgate/core/administration';
import { addSums, noUsage, USAGE_GROUPS } from '@searchgate/core/ledger';
import { type Command, Option } from 'commander';
import { usd } from '../../usd.js';
import { checkRange } from '../check-range.js';
import { date, id } from '../option-values.js';
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

export function addUsageCommand(program: Command, { report }: Runner): void {
  program
    .command('usage')
    .description('sum up what was charged by organization, key, model, tag or day')
    .addOption(new Option('--by <group>', 'what a line is of').choices(USAGE_GROUPS).default('organization'))
    .option('--since <date>', 'the first day that counts, in UTC', date)
    .option('--until <date>', 'the day behind the last one', date)
    .option('--org <id>', 'of one organization', id)
    .option('--key <id>', 'of one key', id)
    .action(({ by, since, until, org, key }: UsageOptions, command: Command) => {
      checkRange(command, { since, until });
      return report(async ({ administration }) =>
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
      );
    });
}

function usageReport(by: Grouping, rows: readonly StatementRow[]): Report {
  const lines = rows.length > 1 ? [...rows, sumOf(rows)] : rows;
  const text = table<StatementRow>(
    [
      { title: by, of: ({ group }) => group ?? '–' },
      { title: 'answers', align: 'right', of: ({ charges }) => String(charges) },
      { title: 'charged', align: 'right', of: ({ charged }) => usd(charged) },
      { title: 'of it cached', align: 'right', of: ({ cached }) => usd(cached) },
      { title: 'owed', align: 'right', of: ({ upstreamCost }) => usd(upstreamCost) },
      { title: 'adjusted', align: 'right', of: ({ adjusted }) => usd(adjusted) },
      { title: 'granted', align: 'right', of: ({ granted }) => usd(granted) },
      { title: 'lost', align: 'right', of: ({ lost }) => usd(lost) },
    ],
    lines,
  );
  return { text: rows.length === 0 ? 'Nothing happened in that time.' : text, json: rows.map(rowJson) };
}

function rowJson({ group, charges, cachedCharges, ...amounts }: StatementRow): object {
  return { group, charges, cachedCharges, ...amountsJson(amounts) };
}

function sumOf(rows: readonly StatementRow[]): StatementRow {
  const sums = noUsage();
  for (const row of rows) addSums(sums, row);
  return { group: 'in all', ...sums };
}
