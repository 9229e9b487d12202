import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { memoryLedger } from '../src/index.js';
import type { AnswerAdapter } from '../src/provider-kit/index.js';
import {
  answer,
  composed,
  FAILED,
  finder,
  found,
  open,
  QUESTION,
  row,
  SEARCH,
  SECOND,
  type Search,
  silent,
} from './composed-models.js';
import { KEY, whileAdvancing } from './scripted-gateway.js';

describe('a part that fails', () => {
  it('pauses its own provider alone, which is then named to the caller as unavailable', async () => {
    const { refusal, pausedOnes } = open([finder('one', () => Promise.reject(FAILED)), composed([SEARCH])], {
      providerFailureThreshold: 1,
    });
    const details = { provider: 'one', model: 'one/find', attempts: 1 };
    expect(await refusal()).toMatchObject({ reason: 'upstream_error', details });
    expect(pausedOnes()).toEqual(['one']);
    expect(await refusal()).toMatchObject({
      reason: 'upstream_unavailable',
      status: 503,
      retryAfterMs: expect.any(Number) as number,
    });
  });

  it('leaves the chat to pause the composed provider', async () => {
    const chat: AnswerAdapter['answer'] = async (question, context) => {
      await answer(question, context);
      throw FAILED;
    };
    const plain = { ...composed([], answer), id: 'plain', models: [row('plain/answer', '0.001')] };
    const { ask, pausedOnes, attempts, entries } = open([finder('one', found), composed([SEARCH], chat), plain], {
      providerFailureThreshold: 1,
      fallbacks: { 'ask/brief': ['plain/answer'] },
    });
    expect(await ask()).toBe('no_answer_found');
    // Not again, which would buy the parts again: its fallback.
    expect(attempts()).toEqual([
      ['one/find', 'answered'],
      ['ask/brief', 'upstream_error'],
      ['plain/answer', 'no_answer_found'],
    ]);
    expect([pausedOnes(), await entries()]).toEqual([['ask'], [['loss', 'one/find', 7_000_000n]]]);
  });

  it.each([
    ['is still under way', {}, 'upstream_timeout', [['loss', 'one/find', 7_000_000n]]],
    ['waits for a slot', { limits: { maxConcurrent: 1, maxQueueMs: 60_000 } }, 'upstream_rate_limited', []],
  ])('for want of time while it %s names its own model, and pauses nobody', async (_what, own, reason, lost) => {
    const { gateway, clock, refusal, pausedOnes, entries } = open(
      [finder('one', silent, { timeoutMs: 100_000 }, own), composed([SEARCH])],
      { providerFailureThreshold: 1 },
    );
    if ('limits' in own) void gateway.search({ apiKey: KEY, model: 'one/find', query: 'x' }).catch(() => undefined);
    await clock.advance(0);
    expect(await refusal()).toMatchObject({ reason, details: { provider: 'one', model: 'one/find' } });
    expect([pausedOnes(), await entries()]).toEqual([[], lost]);
  });

  it.each<readonly [string, AnswerAdapter['answer'], number]>([
    [
      'twice',
      (_question, context) => context.run!('search', 'one/find', { query: 'a' }).then(() => answer(_question, context)),
      1,
    ],
    ['that it does not have', (_question, context) => context.run!('search', 'two/find', { query: 'a' }) as never, 0],
    ['with wrong fields', (_question, context) => context.run!('search', 'one/find', { query: '' }) as never, 0],
  ])('because its adapter asks for one %s is a bug of the adapter', async (_what, adapter, bought) => {
    const { ask, logged, entries } = open([finder('one', found), finder('two', found), composed([SEARCH], adapter)]);
    expect(await ask()).toBe('upstream_invalid_response');
    expect([logged.length, (await entries()).length]).toEqual([1, bought]);
  });

  it('because its answer has ended is not asked', async () => {
    const late: Promise<unknown>[] = [];
    const adapter: AnswerAdapter['answer'] = (question, context) => {
      const asked = new Promise(setImmediate).then(() => context.run!('search', 'one/find', { query: 'a' }));
      late.push(asked.catch((error: unknown) => String(error)));
      return answer({ ...question, model: { ...question.model, parts: [SECOND] } }, context);
    };
    const { ask, attempts } = open([finder('one', found), finder('two', found), composed([SEARCH, SECOND], adapter)]);
    expect(await ask()).toHaveProperty('answer');
    expect([await late[0], attempts()]).toEqual([
      'Error: no part search one/find is left to be asked',
      [
        ['two/find', 'answered'],
        ['ask/brief', 'answered'],
      ],
    ]);
  });
});

describe('an answer made of parts', () => {
  it.each(['search', 'chat', 'settle'])(
    'costs nothing where its process is killed in the %s, and once where it is asked for again',
    async (when) => {
      const never = new Promise<never>(() => undefined);
      let isKilled = false;
      const killed = (at: string) => (isKilled ||= at === when);
      const clock = createFakeClock(Date.UTC(2026, 10, 29));
      const ledger = memoryLedger({ credits: { acme: '10' }, clock });
      const dying = new Proxy(ledger, {
        get(target, name) {
          const verb: unknown = Reflect.get(target, name);
          if (typeof verb !== 'function') return verb;
          return (...given: unknown[]) =>
            killed(String(name)) ? never : (Reflect.apply(verb, target, given) as unknown);
        },
      });
      const schedule = (ms: number, due: () => void) =>
        clock.schedule(ms, () => {
          if (!isKilled) due();
        });
      const search: Search = (call, context) => (killed('search') ? never : found(call, context));
      const chat: AnswerAdapter['answer'] = async (question, context) => {
        const outcome = await answer(question, context);
        return killed('chat') ? never : outcome;
      };
      const call = { ...QUESTION, idempotencyKey: 'one-and-the-same' };
      const before = open([finder('one', search), composed([SEARCH], chat)], {
        clock: { ...clock, schedule },
        ledger: dying,
      });
      void before.gateway.answer(call).catch(() => undefined);
      await clock.advance(1_000);
      const after = open([finder('one', found), composed([SEARCH])], { clock, ledger });
      expect([isKilled, (await ledger.organizationTotals('acme')).held]).toEqual([true, 9_000_000n]);
      await clock.advance(600_000);
      expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 0n, held: 0n });
      expect(await whileAdvancing(clock, after.gateway.answer(call))).toHaveProperty('answer');
      const { entries } = await ledger.entries({ organizationId: 'acme' });
      expect(entries.filter(({ kind }) => kind !== 'grant')).toMatchObject([
        { kind: 'expired', amount: 9_000_000n },
        { kind: 'charge', amount: 8_400_000n },
      ]);
    },
  );
});
