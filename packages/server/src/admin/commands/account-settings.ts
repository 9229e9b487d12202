import { type Command, Option } from 'commander';
import {
  anyText,
  budgetIds,
  concurrency,
  domains,
  expiry,
  limit,
  limitReset,
  models,
  payer,
  rate,
  type Setting,
} from '../option-values.js';

/** An option that sets a field of a key or an organization. */
interface AccountSetting {
  readonly flags: string;
  readonly help: string;
  readonly field: string;
  readonly parse: (given: string) => Setting<unknown>;
}

const setting = (flags: string, help: string, [field, parse]: [string, AccountSetting['parse']]): AccountSetting => ({
  flags,
  help,
  field,
  parse,
});

const LIMITS = [
  setting('--rate <rate>', 'most calls in a period, such as 60/1m, 5/s or 1000/1d, or none of its own', [
    'rateLimit',
    rate,
  ]),
  setting('--concurrency <number>', 'most calls at once, or none of its own', ['maxConcurrent', concurrency]),
];

const DOMAINS = [
  setting('--only <domains>', 'the only web sites of its answers, with commas in between', [
    'domains',
    domains('only'),
  ]),
  setting('--never <domains>', 'web sites that no answer may come from', ['domains', domains('never')]),
  setting('--domains <none>', 'none: no rule of its own', ['domains', domains('none')]),
];

export const ORGANIZATION_SETTINGS = [
  setting('--name <text>', 'its name for people', ['name', anyText]),
  setting('--payer <payer>', 'operator (its calls need no credits) or organization', ['operatorPays', payer]),
  ...LIMITS,
  ...DOMAINS,
];

export const KEY_SETTINGS = [
  setting('--label <text>', 'its name for people, which GET /key shows', ['label', anyText]),
  setting('--limit <usd>', 'most it may spend, or none', ['limit', limit]),
  setting('--reset <period>', 'how often the limit starts over: daily, weekly, monthly or never', [
    'limitReset',
    limitReset,
  ]),
  setting('--models <slugs>', 'the models it may call, with commas in between, or all', ['allowedModels', models]),
  setting('--budgets <ids>', 'the budgets it counts in, with commas in between, or none', ['budgets', budgetIds]),
  ...LIMITS,
  ...DOMAINS,
  setting('--expires <time>', 'when it stops working, or never', ['expiresAt', expiry]),
];

/** @param required the fields whose options must be given. */
export function addSettings(
  command: Command,
  settings: readonly AccountSetting[],
  required: readonly string[] = [],
): Command {
  const names = (field: string) =>
    settings.filter((each) => each.field === field).map(({ flags }) => new Option(flags).attributeName());
  for (const { flags, help, field, parse } of settings) {
    const option = new Option(flags, help).argParser(parse).makeOptionMandatory(required.includes(field));
    command.addOption(option.conflicts(names(field).filter((name) => name !== option.attributeName())));
  }
  return command;
}

/** The fields that the options set. Administration checks them. */
export function fieldsOf<T>(settings: readonly AccountSetting[], options: Readonly<Record<string, unknown>>): T {
  const given = settings.flatMap(({ flags, field }) => {
    const value = options[new Option(flags).attributeName()] as Setting<unknown> | undefined;
    return value === undefined ? [] : [[field, value.to]];
  });
  return Object.fromEntries(given) as T;
}
