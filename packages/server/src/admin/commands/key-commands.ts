import type { Command } from 'commander';
import { concurrency, expiry, id, limit, limitReset, models, rate } from '../option-values.js';
import type { Runner } from '../runner.js';
import {
  createKey,
  type KeyOptions,
  listKeys,
  type NewKeyOptions,
  revokeKey,
  showKey,
  updateKey,
} from './key-reports.js';

const HELP = {
  label: ['--label <text>', 'what GET /key shows'],
  limit: ['--limit <usd>', 'most it may spend, or none'],
  reset: ['--reset <period>', 'how often the limit starts over: daily, weekly, monthly or never'],
  models: ['--models <slugs>', 'the models it may call, with commas in between, or all'],
  rate: ['--rate <rate>', 'most answers in a period, such as 60/1m, 5/s or 1000/1d, or none of its own'],
  concurrency: ['--concurrency <number>', 'most answers at once, or none of its own'],
  expires: ['--expires <time>', 'when it stops working, or never'],
} as const;

export function addKeyCommands(program: Command, { report }: Runner): void {
  const keys = program.command('keys').description('create, list, show, update and revoke API keys');
  keys
    .command('create')
    .description('make a key and print its secret, which is shown only then')
    .requiredOption('--org <id>', 'the organization that pays', id)
    .requiredOption(...HELP.label)
    .requiredOption(...HELP.limit, limit)
    .option(...HELP.reset, limitReset)
    .option(...HELP.models, models)
    .option(...HELP.rate, rate)
    .option(...HELP.concurrency, concurrency)
    .option(...HELP.expires, expiry)
    .action((options: NewKeyOptions) => report((session) => createKey(session, options)));
  keys
    .command('list')
    .description('keys with what they spent')
    .option('--org <id>', 'those of one organization', id)
    .action(({ org }: { org?: string }) => report((session) => listKeys(session, org)));
  keys
    .command('show')
    .description('everything about one key')
    .argument('<id>', 'the public id, sg_…', id)
    .action((keyId: string) => report((session) => showKey(session, keyId)));
  keys
    .command('update')
    .description('change what is given and leave the rest')
    .argument('<id>', 'the public id, sg_…', id)
    .option(...HELP.label)
    .option(...HELP.limit, limit)
    .option(...HELP.reset, limitReset)
    .option(...HELP.models, models)
    .option(...HELP.rate, rate)
    .option(...HELP.concurrency, concurrency)
    .option(...HELP.expires, expiry)
    .action((keyId: string, options: KeyOptions) => report((session) => updateKey(session, keyId, options)));
  keys
    .command('revoke')
    .description('refuse a key forever')
    .argument('<id>', 'the public id, sg_…', id)
    .action((keyId: string) => report((session) => revokeKey(session, keyId)));
}
