import type { AuditDifference, AuditReport } from '@searchgate/core/ledger';
import type { Command } from 'commander';
import { describeAddress } from '../../ledger/ledger-address.js';
import { usd } from '../../usd.js';
import { amountsJson } from '../present.js';
import { rebookCharges } from '../rebook-charges.js';
import type { AdminSession, Report, Runner } from '../runner.js';
import { type Column, fieldList, table } from '../table.js';

export function addLedgerCommands(program: Command, { report }: Runner): void {
  const ledger = program
    .command('ledger')
    .description('verify and back up the ledger, book missing charges, expire holds, migrate the schema');
  ledger
    .command('verify')
    .description('recompute every counter from the log and report any difference; the service may keep running')
    .action(() => report(verify));
  ledger
    .command('backup')
    .description('copy a SQLite ledger into a new file; the service may keep running')
    .requiredOption('--to <file>', 'the new file')
    .action(({ to }: { to: string }) => report((session) => backup(session, to)));
  ledger
    .command('rebook')
    .description('after a restore: book the charges that the log of events has and the ledger lacks, each once')
    .requiredOption('--from <file>', 'request_finished events, one a line, as the service logs them')
    .option('--dry-run', 'show what would be booked, and book nothing')
    .action(({ from, dryRun = false }: { from: string; dryRun?: boolean }) =>
      report((session) => rebook(session, from, dryRun)),
    );
  ledger
    .command('expire')
    .description('free what processes that died have held; the service does so by itself')
    .action(() => report(expire));
  ledger
    .command('migrate')
    .description('make the tables or scripts, or bring them to this version')
    .action(() => report(migrate, { createsFile: true }));
}

async function rebook(session: AdminSession, file: string, dryRun: boolean): Promise<Report> {
  const { amount, refused, unreadable, ...counts } = await rebookCharges(session, file, { dryRun });
  const { charges, missing, booked } = counts;
  const lines = [
    `${charges} charges in ${file}; the ledger lacks ${missing} of them, ${usd(amount)}.`,
    dryRun ? 'Nothing was booked.' : `Booked: ${booked}.`,
    ...refused.map(({ id, reason }) => `Refused: ${id}: ${reason}. Run it again when that is mended.`),
    ...unreadable.map((line) => `Line ${line} may be a charge, and cannot be read: book it by an adjustment.`),
  ];
  const json = { ...counts, ...amountsJson({ amount }), refused, unreadable };
  return { text: lines.join('\n'), json, isBad: refused.length + unreadable.length > 0 };
}

const COUNTS: readonly Column<AuditReport>[] = [
  { title: 'organizations', of: ({ organizations }) => String(organizations) },
  { title: 'keys', of: ({ keys }) => String(keys) },
  { title: 'budgets', of: ({ budgets }) => String(budgets) },
  { title: 'log entries', of: ({ entries }) => String(entries) },
  { title: 'open holds', of: ({ openHolds }) => String(openHolds) },
];

const DIFFERENCES: readonly Column<AuditDifference>[] = [
  { title: 'of', of: ({ subject, id }) => `${subject} ${id}` },
  { title: 'counter', of: ({ counter }) => counter },
  { title: 'counted', align: 'right', of: ({ counted }) => usd(counted) },
  { title: 'by the log', align: 'right', of: ({ recomputed }) => usd(recomputed) },
  { title: 'difference', align: 'right', of: ({ counted, recomputed }) => usd(counted - recomputed) },
];

async function verify({ ledger, address }: AdminSession): Promise<Report> {
  const found = await ledger.audit();
  const { differences, ...counts } = found;
  const verdict =
    differences.length === 0
      ? 'Every counter equals the log.'
      : `${differences.length} counters differ from the log:\n\n${table(DIFFERENCES, differences)}`;
  return {
    text: `${describeAddress(address)}\n${fieldList(COUNTS, found)}\n\n${verdict}`,
    json: { ...counts, differences: differences.map(differenceJson) },
    isBad: differences.length > 0,
  };
}

function differenceJson({ subject, id, counter, counted, recomputed }: AuditDifference): object {
  return { subject, id, counter, ...amountsJson({ counted, recomputed }) };
}

async function backup({ address }: AdminSession, to: string): Promise<Report> {
  const { backUp } = await import('../../ledger/backup.js');
  backUp(address, to);
  return { text: `${describeAddress(address)} was copied into ${to}.`, json: { ledger: describeAddress(address), to } };
}

async function expire({ administration }: AdminSession): Promise<Report> {
  const expired = await administration.expireHolds();
  return { text: `${expired} expired holds were ended; their amounts are free.`, json: { expired } };
}

async function migrate({ ledger, address }: AdminSession): Promise<Report> {
  await ledger.migrate();
  return { text: `${describeAddress(address)} is ready for this version.`, json: { ledger: describeAddress(address) } };
}
