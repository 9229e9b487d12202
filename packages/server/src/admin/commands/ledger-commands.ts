import type { AuditDifference, AuditReport } from '@searchgate/core/ledger';
import type { Command } from 'commander';
import { describeAddress } from '../../ledger/ledger-address.js';
import { usd } from '../../usd.js';
import type { AdminSession } from '../admin-session.js';
import { amountsJson } from '../present.js';
import type { Report } from '../report.js';
import type { Runner } from '../runner.js';
import { fieldList, table } from '../table.js';

export function addLedgerCommands(program: Command, { report }: Runner): void {
  const ledger = program.command('ledger').description('verify the ledger, expire holds, migrate the schema');
  ledger
    .command('verify')
    .description('recompute every counter from the log and report any difference; the service may keep running')
    .action(() => report(verify));
  ledger
    .command('expire')
    .description('free what processes that died have held; the service does so by itself')
    .action(() => report(expire));
  ledger
    .command('migrate')
    .description('make the tables or scripts, or bring them to this version')
    .action(() => report(migrate, { createsFile: true }));
}

async function verify({ ledger, address }: AdminSession): Promise<Report> {
  const { differences, ...counts } = await ledger.audit();
  return {
    text: [`${describeAddress(address)}\n${fieldList(countFields(counts))}\n`, verdict(differences)].join('\n'),
    json: { ...counts, differences: differences.map(differenceJson) },
    isBad: differences.length > 0,
  };
}

function countFields({
  organizations,
  keys,
  entries,
  openHolds,
}: Omit<AuditReport, 'differences'>): Record<string, string> {
  return {
    organizations: String(organizations),
    keys: String(keys),
    'log entries': String(entries),
    'open holds': String(openHolds),
  };
}

function verdict(differences: readonly AuditDifference[]): string {
  if (differences.length === 0) return 'Every counter equals the log.';
  const lines = table<AuditDifference>(
    [
      { title: 'of', of: ({ subject, id }) => `${subject} ${id}` },
      { title: 'counter', of: ({ counter }) => counter },
      { title: 'counted', align: 'right', of: ({ counted }) => usd(counted) },
      { title: 'by the log', align: 'right', of: ({ recomputed }) => usd(recomputed) },
      { title: 'difference', align: 'right', of: ({ counted, recomputed }) => usd(counted - recomputed) },
    ],
    differences,
  );
  return `${differences.length} counters differ from the log:\n\n${lines}`;
}

function differenceJson({ subject, id, counter, counted, recomputed }: AuditDifference): object {
  return { subject, id, counter, ...amountsJson({ counted, recomputed }) };
}

async function expire({ administration }: AdminSession): Promise<Report> {
  const expired = await administration.expireHolds();
  return { text: `${expired} expired holds were ended; their amounts are free.`, json: { expired } };
}

async function migrate({ ledger, address }: AdminSession): Promise<Report> {
  await ledger.migrate();
  return { text: `${describeAddress(address)} is ready for this version.`, json: { ledger: describeAddress(address) } };
}
