import assert from 'node:assert/strict';
import type { LoggedRequest, RequestLog, RequestText, RequestTextOwner, RequestTexts } from '@searchgate/core/ledger';

const MANY = 250;
const AT_ONCE = 100;
/** What engines may write otherwise: quotes, ends of lines, signs of JSON and SQL, four bytes. */
const HARD = [`it's "quoted"`, 'a\nb\r\n\u2028c', '\\u0000 %s $1 {}', '🌉'.repeat(300), '', 'x'.repeat(100_000)];

const pick = <T>(values: readonly T[], at: number): T => values[at % values.length] as T;

/** The text of a call. */
function textOf({ requestId, atMs, organizationId, keyId, tag }: LoggedRequest, at: number): RequestText {
  const answer = at % 4 === 0 ? null : pick(HARD, at + 1);
  return { requestId, atMs, organizationId, keyId, tag, question: pick(HARD, at), answer, isCut: at % 2 === 1 };
}

const isOf = (text: RequestText, owner: RequestTextOwner) =>
  Object.entries(owner).every(([field, value]) => text[field as keyof RequestTextOwner] === value);

const sorted = (texts: readonly RequestText[]) => texts.toSorted((a, b) => (a.requestId < b.requestId ? -1 : 1));

type Test = (name: string, body: (under: { readonly log: RequestLog }) => Promise<void>) => void;

/** Registers the tests of the questions and answers of a log. @param rows calls of several organizations, keys and tags, the oldest first. */
export function requestTextConformance(test: Test, rows: readonly LoggedRequest[]): void {
  const calls = rows.slice(0, MANY);
  const all = calls.map(textOf);

  async function found(texts: RequestTexts, ids = all.map(({ requestId }) => requestId)): Promise<RequestText[]> {
    const pages: RequestText[] = [];
    for (let from = 0; from < ids.length; from += AT_ONCE)
      pages.push(...(await texts.find(ids.slice(from, from + AT_ONCE))));
    return sorted(pages);
  }

  const testTexts = (name: string, body: (log: RequestLog, texts: RequestTexts) => Promise<void>) =>
    test(name, async ({ log }) => {
      assert.ok(log.texts !== undefined, 'the log keeps texts');
      for (let from = 0; from < all.length; from += AT_ONCE) await log.texts.append(all.slice(from, from + AT_ONCE));
      await body(log, log.texts);
    });

  testTexts('gives questions and answers as they were, the first one of a call', async (_log, texts) => {
    await texts.append([{ ...(all[0] as RequestText), question: 'another' }]);
    await texts.append([]);
    assert.deepEqual(await found(texts), sorted(all));
    assert.deepEqual(await texts.find([]), []);
    assert.deepEqual(await texts.find(['req_unknown']), []);
  });

  const owners = calls.slice(0, 6).flatMap(({ organizationId, keyId, tag }): RequestTextOwner[] => {
    const ofTag = tag === null ? [] : [{ organizationId, tag }];
    return [{ organizationId, keyId }, ...ofTag, { organizationId }];
  });
  testTexts('erases those of an organization, of its key and of its tag, and leaves the calls', async (log, texts) => {
    await log.append(calls);
    let left = all;
    for (const owner of [{ organizationId: 'org' }, ...owners]) {
      const gone = left.filter((text) => isOf(text, owner));
      assert.equal(await texts.erase(owner), gone.length, JSON.stringify(owner));
      left = left.filter((text) => !gone.includes(text));
      assert.deepEqual(await found(texts), sorted(left));
    }
    assert.ok(left.length === 0 && (await log.find({}, { limit: MANY })).rows.length === MANY);
  });

  testTexts('removes those that are too old, in parts', async (_log, texts) => {
    const beforeMs = (calls[MANY - 30] as LoggedRequest).atMs + 0.5;
    let removed = 0;
    for (let part = -1; part !== 0; removed += part) part = await texts.prune(beforeMs);
    const left = all.filter(({ atMs }) => atMs >= beforeMs);
    assert.equal(removed, MANY - left.length);
    assert.deepEqual(await found(texts), sorted(left));
  });

  testTexts(
    'removes those of the calls that it removes: of old ones, of too many, of an erased organization',
    async (log, texts) => {
      await log.append(calls);
      const limits = { beforeMs: 0, maxRows: MANY, sumsBeforeMs: { hour: 0, day: 0 } };
      const prune = async (change: Partial<typeof limits>) => {
        while ((await log.prune({ ...limits, ...change })) > 0);
      };
      for (const remove of [
        () => prune({ beforeMs: (calls[40] as LoggedRequest).atMs }),
        () => prune({ maxRows: 120 }),
        () => log.erase('org-1'),
      ]) {
        await remove();
        const logged = new Set((await log.find({}, { limit: MANY })).rows.map(({ requestId }) => requestId));
        assert.ok(logged.size > 0 && logged.size < MANY);
        assert.deepEqual(await found(texts), sorted(all.filter(({ requestId }) => logged.has(requestId))));
      }
    },
  );
}
