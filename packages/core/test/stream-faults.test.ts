import type { ServerResponse } from 'node:http';
import { createFakeClock } from '@searchgate/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createGateway, type GatewayEvent, memoryApiKeys, memoryLedger, REASONS } from '../src/index.js';
import type { UpstreamPhase, UpstreamReason } from '../src/provider-kit/index.js';
import { exa, tavily } from '../src/providers/index.js';
import { askInMemory } from './ask-in-memory.js';
import { serve } from './every-model/serve.js';
import { joined } from './stream-client.js';
import { event, FAULTS, MAX_UPSTREAM_BYTES, SOURCES, STATUSES, TEXT, type Upstream } from './stream-fault-table.js';

const KEY = 'a-secret-of-twenty-characters';
/** Differ from every other delay, so that their timers can be found among others. */
const DEADLINE_MS = 29_003;
const KEEP_ALIVE_MS = 37_001;
const EXA_PRICE = 5_000_000n;
const FALLBACK_REPLY = JSON.stringify({
  answer: 'Yes.',
  results: [{ url: 'https://example.org/a', title: 'A', content: 'Opened.' }],
});

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function start(fallbacks: Record<string, string[]>, play: (upstream: Upstream) => unknown) {
  let deliver = (): void => undefined;
  const delivered = new Promise<void>((resolve) => (deliver = resolve));
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const broken = await serve((req, res) => {
    res.on('error', () => undefined);
    req.resume().once('end', () => {
      play({ res, delivered });
      begin();
    });
  });
  const healthy = await serve(
    (_req, res) => void res.setHeader('content-type', 'application/json').end(FALLBACK_REPLY),
  );
  const clock = createFakeClock(Date.UTC(2026, 10, 21));
  const ownTimers = new Set<object>();
  const schedule: typeof clock.schedule = (delayMs, callback, background) => {
    const timer = {};
    if (delayMs === DEADLINE_MS || delayMs === KEEP_ALIVE_MS) ownTimers.add(timer);
    const cancel = clock.schedule(
      delayMs,
      () => {
        ownTimers.delete(timer);
        callback();
      },
      background,
    );
    return () => {
      ownTimers.delete(timer);
      cancel();
    };
  };
  const events: GatewayEvent[] = [];
  const logged: string[] = [];
  const ledger = memoryLedger({ credits: { acme: '10.00' }, clock });
  const gateway = createGateway({
    providers: [exa({ apiKey: 'a-key', baseUrl: broken.url }), tavily({ apiKey: 'a-key', baseUrl: healthy.url })],
    apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit: '1.00' }]),
    ledger,
    fallbacks,
    clock: { ...clock, schedule },
    streamKeepAliveMs: KEEP_ALIVE_MS,
    models: { 'exa/answer': { timeoutMs: DEADLINE_MS } },
    maxUpstreamBytes: MAX_UPSTREAM_BYTES,
    maxAttempts: 2,
    retryBaseDelayMs: 0,
    logger: { warn: () => undefined, error: (_fields, message) => void logged.push(message) },
    onEvent: (seen) => void events.push(seen),
  });
  stops.push(
    () => broken.close(),
    () => healthy.close(),
    () => gateway.close(),
  );

  /** @param passes whether the deadline passes, after `until` has happened. */
  async function ask({ passes = false, until = begun }: { passes?: boolean; until?: Promise<void> } = {}) {
    const asked = askInMemory(gateway, { apiKey: KEY, onDelta: deliver });
    const progress = { hasEnded: false };
    void asked.finally(() => (progress.hasEnded = true));
    if (passes) {
      await until;
      for (let turn = 0; turn < 3; turn += 1) await clock.advance(0);
      await clock.advance(DEADLINE_MS);
    }
    while (!progress.hasEnded) await clock.advance(0);
    return asked;
  }
  async function money() {
    const { usage, held } = await ledger.organizationTotals('acme');
    const { entries } = await ledger.entries({ keyId: 'key' });
    return { usage, held, entries: entries.map(({ kind, amount }) => [kind, amount]) };
  }
  return { gateway, ownTimers, events, logged, delivered, ask, money };
}

const errorOf = (reason: UpstreamReason, phase: UpstreamPhase, attempts: number) => ({
  code: REASONS[reason].status,
  reason,
  metadata: { provider: 'exa', model: 'exa/answer', attempts, phase },
});
const lossOf = (reason: UpstreamReason) => (reason === 'upstream_timeout' ? [['loss', EXA_PRICE]] : []);
const beginReply = (res: ServerResponse, text: string) => {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.flushHeaders();
  if (text !== '') res.write(text);
};

const BEFORE = Object.entries(FAULTS).flatMap(([name, fault]) => [
  { name: `${name} behind the headers`, sent: '', ...fault, ...earlyPhase(name) },
  { name: `${name} behind the sources`, sent: SOURCES, ...fault },
]);

/** A reply that is no stream of events is read as JSON. */
function earlyPhase(name: string): { readonly phase?: UpstreamPhase } {
  return name === 'an end that comes too early' ? { phase: 'parse' } : {};
}

describe('a stream that fails before its first content', () => {
  it.each(BEFORE)('$name: an ordinary error, and no charge', async ({ sent, play, reason, phase }) => {
    const { ask, money, ownTimers, logged } = await start({}, ({ res }) => {
      beginReply(res, sent);
      setImmediate(play, res);
    });
    const { status, json, events } = await ask({ passes: reason === 'upstream_timeout' });
    expect([status, events]).toEqual([REASONS[reason].status, []]);
    expect(json).toMatchObject({ error: errorOf(reason, phase, 1) });
    expect(await money()).toEqual({ usage: 0n, held: 0n, entries: lossOf(reason) });
    expect([ownTimers.size, logged]).toEqual([0, []]);
  });

  it.each(BEFORE)('$name: the fallback answers', async ({ sent, play, reason }) => {
    const { ask, money } = await start({ 'exa/answer': ['tavily/answer'] }, ({ res }) => {
      beginReply(res, sent);
      setImmediate(play, res);
    });
    const { status, events } = await ask({ passes: reason === 'upstream_timeout' });
    expect([status, events.map(({ event: name }) => name)]).toEqual([200, ['start', 'citations', 'delta', 'done']]);
    expect(events[0]?.data).toMatchObject({ model: 'tavily/answer' });
    expect(events.at(-1)?.data).toMatchObject({ answer: 'Yes.', citations: [{ title: 'A' }] });
    const { held, entries } = await money();
    expect([held, new Set(entries.map(([kind]) => kind))]).toEqual([
      0n,
      new Set(['charge', ...lossOf(reason).map(([kind]) => kind)]),
    ]);
  });

  it.each(STATUSES)('a %d is %s, as without stream', async (upstreamStatus, reason) => {
    const { ask, money } = await start({}, ({ res }) => void res.writeHead(upstreamStatus).end('{"error":"no"}'));
    const { status, json, events } = await ask();
    expect([status, events]).toEqual([REASONS[reason].status, []]);
    const metadata = { upstream_status: upstreamStatus, phase: 'headers' };
    expect(json).toMatchObject({ error: { reason, metadata } });
    expect(await money()).toEqual({ usage: 0n, held: 0n, entries: [] });
  });

  it('silence from the beginning is a timeout whose price may be owed', async () => {
    const { ask, money } = await start({}, () => undefined);
    const { json } = await ask({ passes: true });
    expect(json).toMatchObject({ error: errorOf('upstream_timeout', 'headers', 1) });
    expect(await money()).toEqual({ usage: 0n, held: 0n, entries: [['loss', EXA_PRICE]] });
  });
});

describe('a stream that fails behind its first content', () => {
  it.each(Object.entries(FAULTS))(
    '%s: an error event, no charge, a loss, and nothing else is tried',
    async (_name, { play, reason, phase }) => {
      const { ask, money, ownTimers, events, delivered, gateway, logged } = await start(
        { 'exa/answer': ['tavily/answer'] },
        ({ res, delivered: hasDelivered }) => {
          beginReply(res, SOURCES + TEXT);
          void hasDelivered.then(() => play(res));
        },
      );
      const answer = await ask({ passes: reason === 'upstream_timeout', until: delivered });
      expect([answer.status, answer.events.map(({ event: name }) => name)]).toEqual([
        200,
        ['start', 'citations', 'delta', 'error'],
      ]);
      expect(joined(answer.events)).toBe('It opened in');
      expect(answer.events.at(-1)?.data).toMatchObject({ error: errorOf(reason, phase, 1) });
      expect(await money()).toEqual({ usage: 0n, held: 0n, entries: [['loss', EXA_PRICE]] });
      expect([ownTimers.size, logged]).toEqual([0, []]);
      await gateway.close();
      expect(events.filter(({ type }) => type === 'request_finished')).toMatchObject([
        {
          status: REASONS[reason].status,
          reason,
          cost: null,
          attempts: 1,
          firstContentMs: expect.any(Number) as number,
        },
      ]);
    },
  );
});

describe('a strange stream', () => {
  it('with broken characters has replacement characters in their place, in its parts as in the whole', async () => {
    const { ask } = await start({}, ({ res }) => {
      const [head = '', tail = ''] = event({ choices: [{ index: 0, delta: { content: 'It @ opened.' } }] }).split('@');
      res.write(Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xe2, 0x82]), Buffer.from(tail)]));
      res.end(event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
    });
    const { events } = await ask();
    expect(joined(events)).toBe('It \ufffd\ufffd opened.');
    expect(events.at(-1)?.data).toMatchObject({ answer: 'It \ufffd\ufffd opened.' });
  });

  it('that goes on behind its end is read up to there', async () => {
    const { ask } = await start({}, ({ res }) => {
      res.write(TEXT + event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
      res.end('data: [DONE]\n\n: bye\n\n');
    });
    expect((await ask()).events.at(-1)?.data).toMatchObject({ answer: 'It opened in' });
  });
});
