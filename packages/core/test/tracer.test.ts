import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, describe, expect, it } from 'vitest';
import type { AttemptSpan, RequestSpan, Tracer } from '../src/http/extensions.js';
import { type GatewayEvent, memoryLedger } from '../src/index.js';
import type { AnswerOutcome } from '../src/provider-kit/index.js';
import { requestOf } from './ask-over-http.js';
import { failure, KEY, OUTCOME, reasonOf, scripted, start, streaming, whileAdvancing } from './scripted-gateway.js';

const active = new AsyncLocalStorage<string>();
afterAll(() => active.disable());

/** A tracer that records its calls and the active span. */
function recording() {
  const log: string[] = [];
  const ended: GatewayEvent[] = [];
  const attemptSpan = (name: string): AttemptSpan => ({
    run: (work) => active.run(name, work),
    end(finished) {
      log.push(`end ${name} ${finished.outcome}`);
      ended.push(finished);
    },
  });
  const tracer: Tracer = {
    startRequest({ endpoint }) {
      log.push(`start ${endpoint} in ${active.getStore() ?? 'nothing'}`);
      return {
        run: (work) => active.run(endpoint, work),
        startAttempt({ attempt, model }) {
          log.push(`start ${attempt} ${model}`);
          return attemptSpan(`${attempt} ${model}`);
        },
        end(finished) {
          log.push(`end ${endpoint} ${finished.status}`);
          ended.push(finished);
        },
      };
    },
  };
  return { tracer, log, ended };
}

/** A provider that waits, then records the span in which it answers. */
const whereItRuns = (seen: unknown[]) => async (): Promise<AnswerOutcome> => {
  seen.push(active.getStore());
  await new Promise((resolve) => setImmediate(resolve));
  seen.push(active.getStore());
  return OUTCOME;
};

const FALLBACK = { fallbacks: { 'exa/answer': ['you/answer'] } };

describe('a tracer', () => {
  it('gets a span for the call, in the active context, and one for each attempt', async () => {
    const { tracer, log, ended } = recording();
    const seen: unknown[] = [];
    const exa = scripted('exa', [failure('upstream_error')]);
    const you = scripted('you', [whereItRuns(seen)]);
    const { gateway, events } = start([exa.provider, you.provider], { ...FALLBACK, tracer });
    const pending = active.run('caller', () =>
      gateway.answer({ apiKey: KEY, model: 'exa/answer', query: 'When did it open?' }),
    );
    expect(log).toEqual(['start answer in caller']);
    await pending;
    expect(log.slice(1)).toEqual([
      'start 1 exa/answer',
      'end 1 exa/answer upstream_error',
      'start 2 you/answer',
      'end 2 you/answer answered',
      'end answer 200',
    ]);
    expect(seen).toEqual(['2 you/answer', '2 you/answer']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toEqual(events);
  });

  it('has the span of the call active in the ledger', async () => {
    const { tracer } = recording();
    const ledger = memoryLedger({ credits: { acme: '1' } });
    const seen: unknown[] = [];
    const hold: typeof ledger.hold = (input) => (seen.push(active.getStore()), ledger.hold(input));
    const settle: typeof ledger.settle = (...input) => (seen.push(active.getStore()), ledger.settle(...input));
    const { ask } = start([scripted('exa', [OUTCOME]).provider], { tracer, ledger: { ...ledger, hold, settle } });
    await ask('exa/answer');
    expect(seen).toEqual(['answer', 'answer']);
  });

  it('sees refused calls, and calls of every endpoint', async () => {
    const { tracer, log } = recording();
    const { gateway } = start([scripted('exa', [OUTCOME]).provider], { tracer });
    await reasonOf(gateway.answer({ apiKey: 'wrong', model: 'exa/answer', query: 'When?' }));
    await gateway.key({ apiKey: KEY });
    await gateway.handle(requestOf('models', { method: 'GET' }));
    expect(log.filter((line) => line.startsWith('end'))).toEqual(['end answer 401', 'end key 200', 'end models 200']);
  });

  it('has two open spans for a hedged call, the second started by a timer', async () => {
    const { tracer, log } = recording();
    const slow = () => new Promise<never>(() => undefined);
    const exa = scripted('exa', [slow]);
    const you = scripted('you', [OUTCOME]);
    const hedging = { maxShare: 1, 'exa/answer': { afterMs: 4_000, with: 'you/answer', maxExtraCost: '0.01' } };
    const { ask, clock } = start([exa.provider, you.provider], { hedging, tracer });
    await whileAdvancing(clock, ask('exa/answer'));
    expect(log).toEqual([
      'start answer in nothing',
      'start 1 exa/answer',
      'start 2 you/answer',
      'end 2 you/answer answered',
      'end 1 exa/answer hedged',
      'end answer 200',
    ]);
  });

  it('keeps the span of a streamed answer open until its stream ends', async () => {
    const { tracer, log } = recording();
    let finish = (): void => undefined;
    const provider = streaming((_call, _context, live) => {
      live.text('Open since 2021 ');
      return new Promise((resolve) => (finish = () => resolve(OUTCOME)));
    });
    const { gateway } = start([provider], { tracer });
    const call = gateway.answerStream({ apiKey: KEY, model: 'exa/answer', query: 'When?' });
    const parts = call[Symbol.asyncIterator]();
    expect((await parts.next()).value).toMatchObject({ type: 'start' });
    expect((await parts.next()).value).toMatchObject({ type: 'delta' });
    expect(log).toEqual(['start answer in nothing', 'start 1 exa/answer']);
    finish();
    const rest: unknown[] = [];
    for (let part = await parts.next(); part.done !== true; part = await parts.next()) rest.push(part.value.type);
    expect(rest.at(-1)).toBe('done');
    expect(log.slice(2)).toEqual(['end 1 exa/answer answered', 'end answer 200']);
  });

  it('may omit spans', async () => {
    const { tracer, log } = recording();
    const none = start([scripted('exa', [OUTCOME]).provider], { tracer: { startRequest: () => undefined } });
    expect(await reasonOf(none.ask('exa/answer'))).toBe('answered');
    const startRequest: Tracer['startRequest'] = (begun) => {
      const span = tracer.startRequest(begun);
      return span && { ...span, startAttempt: () => undefined };
    };
    const some = start([scripted('exa', [OUTCOME]).provider], { tracer: { startRequest } });
    expect(await reasonOf(some.ask('exa/answer'))).toBe('answered');
    expect(log).toEqual(['start answer in nothing', 'end answer 200']);
  });

  it('is refused at start if it is not a tracer', () => {
    const tracer = { startSpan: () => undefined } as unknown as Tracer;
    expect(() => start([scripted('exa', [OUTCOME]).provider], { tracer })).toThrow(/tracer: .*gatewayTracer/);
  });
});

const NOTHING = (): undefined => undefined;
const ATTEMPT: AttemptSpan = { run: (work) => work(), end: NOTHING };
const REQUEST: RequestSpan = { run: (work) => work(), startAttempt: () => ATTEMPT, end: NOTHING };
const fail = (): never => {
  throw new Error('the tracer is broken');
};
const of = (request: Partial<RequestSpan>, attempt: Partial<AttemptSpan> = {}): Tracer => ({
  startRequest: () => ({ ...REQUEST, startAttempt: () => ({ ...ATTEMPT, ...attempt }), ...request }),
});
const twice = (work: () => void) => {
  work();
  work();
};
const late = (work: () => void) => void setImmediate(work);
const rejecting = (() => Promise.reject(new Error('the tracer is broken'))) as unknown as () => undefined;

/** Faults of a tracer, and whether each is logged as an error. */
const BROKEN: Record<string, [Tracer, logged: boolean]> = {
  'throws for a call': [{ startRequest: fail }, true],
  'throws for an attempt': [of({ startAttempt: fail }), true],
  'throws at the end of a call': [of({ end: fail }), true],
  'throws at the end of an attempt': [of({}, { end: fail }), true],
  'throws before it runs a call': [of({ run: fail }), true],
  'throws before it runs an attempt': [of({}, { run: fail }), true],
  'throws after it has run a call': [of({ run: (work) => (work(), fail()) }), true],
  'throws after it has run an attempt': [of({}, { run: (work) => (work(), fail()) }), true],
  rejects: [of({ end: rejecting }, { end: rejecting }), true],
  'gives something else for a span': [{ startRequest: () => 'span' as unknown as RequestSpan }, true],
  'gives null for a span': [{ startRequest: () => null as unknown as RequestSpan }, true],
  'runs nothing': [of({ run: NOTHING }, { run: NOTHING }), false],
  'runs a call twice': [of({ run: twice }), false],
  'runs an attempt twice': [of({}, { run: twice }), false],
  'runs too late': [of({ run: late }, { run: late }), false],
};

describe('a tracer that', () => {
  it.each(Object.entries(BROKEN))('%s changes no answer, and is logged once', async (_name, [tracer, isLogged]) => {
    const { provider, calls } = scripted('exa', [OUTCOME]);
    const { ask, totals, logged, events } = start([provider], { tracer });
    for (const _each of [1, 2]) expect(await reasonOf(ask('exa/answer'))).toBe('answered');
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toHaveLength(2);
    expect(await totals()).toMatchObject({ usage: 10_000_000n, held: 0n });
    expect(events.map(({ type }) => type).sort()).toEqual([
      'attempt_finished',
      'attempt_finished',
      'request_finished',
      'request_finished',
    ]);
    expect(logged).toEqual(isLogged ? ['the tracer failed'] : []);
  });

  it('runs an adapter that throws synchronously calls it once, and is not blamed', async () => {
    const { provider } = scripted('exa', []);
    let asked = 0;
    const answer = (): never => {
      asked += 1;
      throw new Error('a bug');
    };
    const { ask, logged } = start([{ ...provider, answer: { answer } }], { tracer: of({}), maxAttempts: 1 });
    expect(await reasonOf(ask('exa/answer'))).toBe('upstream_invalid_response');
    expect([asked, logged]).toEqual([1, ['a provider adapter threw']]);
  });
});
