import { createOwnedEntries } from '../base/owned-entries.js';
import { collectStatistics, type PackedSums } from './packed-sums.js';
import { byPlace, cursorOf, fitsFilter, type LoggedRequest, placeOf, type RequestLog } from './request-log.js';
import type { SumStep } from './request-statistics.js';
import { bytesOfTexts, type RequestText, type RequestTextOwner, type RequestTexts } from './request-texts.js';
import { addCalls, statisticsOfMinutes } from './statistics-of.js';

/** A log that keeps questions and answers too. */
type LogWithTexts = RequestLog & { readonly texts: RequestTexts };

/** The spans whose sums are kept. */
const STEPS = ['hour', 'day'] as const;
/** Most sums of each that are kept in memory, the newest. */
const MAX_SUMS = 25_000;
/** Of questions and answers. */
const MAX_TEXT_BYTES = 67_108_864;

/** Keeps the newest calls of this process in memory, with an equal share for each organization. @param options `maxRows`: default 10,000. */
export function memoryRequestLog({ maxRows = 10_000 }: { readonly maxRows?: number | undefined } = {}): LogWithTexts {
  const kept = createOwnedEntries<LoggedRequest>({ maxEntries: maxRows });
  const texts = memoryTexts();
  const all = () => Array.from(kept, ([, row]) => row);
  const { sums, add, forget } = memorySums();
  const find: RequestLog['find'] = async (filter, { limit, cursor, attempts: withAttempts }) => {
    const after = cursor === undefined ? undefined : placeOf(cursor);
    const fitting = all()
      .filter((row) => fitsFilter(row, filter))
      .sort(byPlace);
    const behind = after === undefined ? fitting : fitting.filter((row) => byPlace(after, row) < 0);
    const page = behind.slice(0, limit);
    const last = page.at(-1);
    const nextCursor = last === undefined || behind.length <= limit ? null : cursorOf(last);
    const rows = withAttempts === true ? page : page.map(({ attempts: _attempts, ...row }) => row);
    return Promise.resolve({ rows, nextCursor });
  };

  return {
    texts: texts.port,
    async append(rows) {
      const added = rows.filter((row) => {
        const isNew = kept.peek(row.requestId) === undefined;
        if (isNew) kept.set(row.requestId, row, { owner: row.organizationId });
        return isNew;
      });
      add(added);
      return Promise.resolve();
    },
    async statistics(query) {
      if (query.step === 'minute') return statisticsOfMinutes(find, query);
      const statistics = collectStatistics(query);
      statistics.add(sums[query.step]);
      return Promise.resolve(statistics.rows());
    },
    find,
    get: async (id) => Promise.resolve(kept.peek(id) ?? all().findLast(({ answerId }) => answerId === id)),
    async organizations(most) {
      const counts = new Map<string, number>();
      for (const { organizationId } of all()) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
      const largest = [...counts].sort(([, a], [, b]) => b - a).slice(0, most);
      return Promise.resolve(largest.map(([id]) => id));
    },
    async prune({ beforeMs, maxRows: most, sumsBeforeMs }) {
      forget((step, atMs) => atMs < sumsBeforeMs[step]);
      const old = all().filter(({ atMs }) => atMs < beforeMs);
      for (const { requestId } of old) kept.delete(requestId);
      const removed = old.length || kept.cut(most);
      texts.remove(({ requestId }) => kept.peek(requestId) === undefined);
      return Promise.resolve(removed);
    },
    async erase(organizationId) {
      forget((_step, _atMs, id) => id === organizationId);
      texts.remove((text) => text.organizationId === organizationId);
      return Promise.resolve(kept.deleteOf(organizationId).length);
    },
    async eraseBudget(organizationId, budget) {
      const named = all().filter((row) => fitsFilter(row, { organizations: [organizationId], budget }));
      for (const row of named) {
        const budgets = row.budgets.filter((id) => id !== budget);
        kept.set(row.requestId, { ...row, budgets }, { owner: organizationId });
      }
      return Promise.resolve(named.length);
    },
  };
}

/** The newest sums of calls, also of those that are kept no more. */
function memorySums() {
  const sums = { hour: new Map() as PackedSums, day: new Map() as PackedSums };
  return {
    sums,
    add(rows: readonly LoggedRequest[]): void {
      for (const step of STEPS) {
        addCalls(sums[step], rows, step);
        for (const name of sums[step].keys()) {
          if (sums[step].size <= MAX_SUMS) break;
          sums[step].delete(name);
        }
      }
    },
    forget(isGone: (step: SumStep, atMs: number, organizationId: string) => boolean): void {
      for (const step of STEPS)
        for (const name of sums[step].keys()) {
          const [, span, organizationId = ''] = name.split('\n');
          if (isGone(step, Number(span), organizationId)) sums[step].delete(name);
        }
    },
  };
}

/** Questions and answers in memory, with an equal share of the bytes for each organization. */
function memoryTexts() {
  const kept = createOwnedEntries<RequestText>({ maxBytes: MAX_TEXT_BYTES });
  function remove(isGone: (text: RequestText) => boolean): number {
    const gone = Array.from(kept, ([, text]) => text).filter(isGone);
    for (const { requestId } of gone) kept.delete(requestId);
    return gone.length;
  }
  const port: RequestTexts = {
    async append(texts) {
      for (const text of texts)
        if (kept.peek(text.requestId) === undefined)
          kept.set(text.requestId, text, { owner: text.organizationId, bytes: bytesOfTexts(text) });
      return Promise.resolve();
    },
    find: async (ids) => Promise.resolve(ids.flatMap((id) => kept.peek(id) ?? [])),
    prune: async (beforeMs) => Promise.resolve(remove(({ atMs }) => atMs < beforeMs)),
    erase: async (owner) => Promise.resolve(remove((text) => isOf(text, owner))),
  };
  return { port, remove };
}

function isOf(text: RequestText, { organizationId, keyId = text.keyId, tag }: RequestTextOwner): boolean {
  return text.organizationId === organizationId && text.keyId === keyId && (tag === undefined || text.tag === tag);
}
