import { createFakeClock } from '@searchgate/testing';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { memoryApiKeys, memoryLedger } from '../src/index.js';
import { memoryRequestLog } from '../src/ledger/index.js';
import { askOverHttp, lookUp } from './ask-over-http.js';
import { failure, KEY, OUTCOME, scripted, start, whileAdvancing } from './scripted-gateway.js';

const call = fc.record({
  kind: fc.constantFrom('answer', 'async', 'look'),
  model: fc.constantFrom('exa/answer', 'you/answer'),
  /** The same questions are cached and shared. */
  query: fc.constantFrom('a', 'b', 'c'),
  isAwaited: fc.boolean(),
  thenMs: fc.constantFrom(0, 400, 3_000, 40_000),
});
/** Of an operation of an engine, in turn: done, failed, done without a reply, or without an answer. */
const fault = fc.constantFrom('none', 'none', 'before', 'after', 'never');

/** An engine some of whose operations fail as the faults say, while there are faults. */
function faulty<T extends object>(engine: T, names: readonly (keyof T)[], next: () => string): T {
  const run =
    (name: keyof T) =>
    async (...given: unknown[]) => {
      const what = next();
      if (what === 'before') throw new Error('down');
      if (what === 'never') return new Promise(() => undefined);
      const result = await (engine[name] as (...given: unknown[]) => unknown)(...given);
      if (what === 'after') throw new Error('the reply was lost');
      return result;
    };
  return { ...engine, ...Object.fromEntries(names.map((name) => [name, run(name)])) };
}

it('has a row for each charge of the ledger once the engines are back, whatever had failed', async () => {
  let charged = 0;
  const property = fc.asyncProperty(
    fc.array(call, { minLength: 3, maxLength: 12 }),
    fc.array(fault, { maxLength: 20 }),
    // A log gets no further batch while four have no end.
    fc.array(fault, { minLength: 1, maxLength: 6 }).filter((list) => list.filter((one) => one === 'never').length < 4),
    async (calls, faults, ofLog) => {
      const clock = createFakeClock(Date.UTC(2026, 10, 21));
      const ledger = memoryLedger({ credits: { acme: '100.00' }, clock });
      const log = memoryRequestLog();
      const left = [...faults];
      const leftOfLog = [...ofLog];
      const next = () => left.shift() ?? 'none';
      const apiKeys = memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' }]);
      const replies = () => [OUTCOME, failure('upstream_error', { cost: 3n }), OUTCOME, OUTCOME];
      const { gateway } = start([scripted('exa', replies()).provider, scripted('you', replies()).provider], {
        clock,
        ledger: {
          ...faulty(ledger, ['hold', 'settle', 'release', 'findHold'], next),
          idempotency: faulty(ledger.idempotency, ['claim', 'complete'], next),
        },
        apiKeys: faulty(apiKeys, ['findByHash'], next),
        requestLog: { log: faulty(log, ['append', 'prune'], () => leftOfLog.shift() ?? 'none') },
        endpoints: { asyncAnswers: true },
        fallbacks: { 'exa/answer': ['you/answer'] },
        cache: { ttlMs: 10_000 },
        coalescing: true,
      });
      const ids: unknown[] = [];
      const look = async (id: unknown) => lookUp(gateway, id);
      for (const { kind, model, query, isAwaited, thenMs } of calls) {
        const headers = kind === 'async' ? { prefer: 'respond-async' } : {};
        const work: Promise<unknown> =
          kind === 'look'
            ? look(ids.at(-1))
            : askOverHttp(gateway, { headers, body: { model, query } }).then(({ body }) => ids.push(body['id']));
        if (isAwaited) await whileAdvancing(clock, work);
        await clock.advance(thenMs);
      }
      left.length = 0;
      leftOfLog.length = 0;
      await clock.advance(1_200_000);
      await whileAdvancing(clock, Promise.all(ids.map(look)));
      await whileAdvancing(clock, gateway.close());
      const { entries } = await ledger.entries({ limit: 1_000 });
      const { rows } = await log.find({}, { limit: 1_000 });
      const costs = (list: readonly (readonly [string | null | undefined, bigint | null | undefined])[]) =>
        list.map(([id, cost]) => `${id} ${cost}`).sort();
      const charges = entries.filter(({ kind }) => kind === 'charge');
      charged += charges.length;
      expect(costs(rows.filter(({ cost }) => cost !== null).map(({ answerId, cost }) => [answerId, cost]))).toEqual(
        costs(charges.map(({ id, amount }) => [id, amount])),
      );
    },
  );
  await fc.assert(property, { numRuns: 40 });
  expect(charged).toBeGreaterThan(60);
});
