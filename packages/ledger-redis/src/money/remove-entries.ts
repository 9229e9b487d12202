import { type Checkpoint, type ReplayedBudget, slicesOf, type WindowedUsage } from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import { CHECKPOINT, REMOVE } from '../scripts/removal-scripts.js';
import { checkEntryCursor } from './read-entries.js';

/** Removes entries, some in each script, so that Redis serves others in between. */
export async function removeEntries(scripts: Scripts, cursor: string): Promise<number> {
  checkEntryCursor(cursor);
  let removed = 0;
  for (let state = 'more'; state === 'more'; ) {
    const [count = '0', next = 'done'] = await scripts.run(REMOVE, [cursor]);
    removed += Number(count);
    state = next;
  }
  return removed;
}

/** @throws Error where the log was cut while it was read. */
export async function readCheckpoint(scripts: Scripts): Promise<Checkpoint> {
  const organizations = new Map<string, { credits: bigint; usage: bigint }>();
  const keys = new Map<string, WindowedUsage>();
  const budgets = new Map<string, ReplayedBudget>();
  let cut: string | undefined;
  let cursor = '0';
  do {
    const [cutNow = '', next = '0', ...texts] = await scripts.run(CHECKPOINT, [cursor]);
    cut ??= cutNow;
    if (cut !== cutNow) throw logWasCut();
    for (const [name = '', text = ''] of slicesOf(texts, 2)) {
      const kind = name.slice(0, name.indexOf(' '));
      const id = name.slice(kind.length + 1);
      if (kind === 'org') organizations.set(id, totalsOf(text));
      if (kind === 'key') keys.set(id, windowedUsageOf(text));
      if (kind === 'budget') budgets.set(id, { ...windowedUsageOf(text), beforeIdle: BigInt(text.split(' ')[5] ?? 0) });
    }
    cursor = next;
  } while (cursor !== '0');
  return { cut, organizations, keys, budgets };
}

export function logWasCut(): Error {
  return new Error('entries were removed from the log while it was read: audit the ledger again');
}

function totalsOf(text: string) {
  const [credits = 0n, usage = 0n] = text.split(' ').map(BigInt);
  return { credits, usage };
}

/** @param text usage, latest day, and what came before that day, its week and its month: also words of KEY_BOOK. */
export function windowedUsageOf(text: string): WindowedUsage {
  const [usage = 0n, latestDay = 0n, beforeDay = 0n, beforeWeek = 0n, beforeMonth = 0n] = text.split(' ').map(BigInt);
  return { usage, latestDay: Number(latestDay), beforeDay, beforeWeek, beforeMonth };
}
