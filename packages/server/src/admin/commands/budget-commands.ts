import { formatUsd } from '@searchgate/core';
import type { BudgetView, NewBudget } from '@searchgate/core/administration';
import type { LimitReset } from '@searchgate/core/ledger';
import { type Command, Option } from 'commander';
import { usd } from '../../usd.js';
import { allPages } from '../all-pages.js';
import { amount, id, limitReset, type Setting } from '../option-values.js';
import { amountsJson, isoTime, isoTimeOrNull, limitText } from '../present.js';
import type { Report, Runner } from '../runner.js';
import { type Column, fieldList, table } from '../table.js';

interface SetOptions extends Pick<NewBudget, 'limit' | 'mode'> {
  readonly org: string;
  readonly budget: string;
  readonly reset?: Setting<LimitReset>;
}

export function addBudgetCommands(program: Command, { report }: Runner): void {
  const budgets = program.command('budgets').description('set, list and delete budgets, which keys name');
  const ofOrganization = (name: string, description: string) =>
    budgets.command(name).description(description).requiredOption('--org <id>', 'the organization', id);

  ofOrganization('set', 'set a budget, or change it; what it has used stays')
    .requiredOption('--budget <id>', 'its name in the organization, such as team:research', id)
    .requiredOption('--limit <usd>', 'most that its keys together may spend', amount)
    .option(
      '--reset <period>',
      'how often the limit starts over: daily, weekly, monthly or never; default: as it is, or never',
      limitReset,
    )
    .addOption(
      new Option('--mode <mode>', 'warn refuses no call; default: as it is, or enforce').choices(['enforce', 'warn']),
    )
    .action(({ org, budget, limit, reset, mode }: SetOptions) =>
      report(async ({ administration }) => {
        const { limitReset: present, mode: now } = (await administration.budgets.get(org, budget)) ?? {};
        const fields = { id: budget, limit, limitReset: reset === undefined ? present : reset.to, mode: mode ?? now };
        return one(await administration.budgets.set(org, fields), 'is set, in every process within seconds.');
      }),
    );
  ofOrganization('list', 'its budgets with what they spent').action(({ org }: { org: string }) =>
    report(async ({ administration }) => {
      const rows: BudgetView[] = [];
      for await (const { items } of allPages((query) => administration.budgets.list(org, query))) rows.push(...items);
      return { text: rows.length === 0 ? 'There is no budget yet.' : table(COLUMNS, rows), json: rows.map(jsonOf) };
    }),
  );
  ofOrganization('delete', 'delete a budget that no key names; what it has used stays in the ledger')
    .requiredOption('--budget <id>', 'its name in the organization', id)
    .action(({ org, budget }: { org: string; budget: string }) =>
      report(async ({ administration }) => one(await administration.budgets.delete(org, budget), 'is deleted.')),
    );
}

const COLUMNS: readonly Column<BudgetView>[] = [
  { title: 'id', of: (budget) => budget.id },
  { title: 'mode', of: ({ mode }) => mode },
  { title: 'limit', align: 'right', of: limitText },
  { title: 'of it used', align: 'right', of: ({ windowUsage }) => usd(windowUsage) },
  { title: 'used in all', align: 'right', of: ({ usage }) => usd(usage) },
  { title: 'held', align: 'right', of: ({ held }) => usd(held) },
  { title: 'starts over', of: ({ resetsAtMs }) => isoTimeOrNull(resetsAtMs) ?? 'never' },
  { title: 'created', of: ({ createdAtMs }) => isoTime(createdAtMs) },
];

function one(budget: BudgetView, done: string): Report {
  const text = `Budget ${budget.id} of ${budget.organizationId} ${done}\n${fieldList(COLUMNS, budget)}`;
  return { text, json: jsonOf(budget) };
}

function jsonOf({ createdAtMs, resetsAtMs, limit, usage, held, windowUsage, ...others }: BudgetView): object {
  const times = { createdAt: isoTime(createdAtMs), resetsAt: isoTimeOrNull(resetsAtMs) };
  return { ...others, ...times, limit: formatUsd(limit), ...amountsJson({ usage, held, windowUsage }) };
}
