import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { exa } from '../src/providers/index.js';
import { connectionsOf, KEY, listen, PRICE, QUESTION, start, stopAfterEach, turn } from './stream-host.js';

stopAfterEach();

const sse = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const part = (content: string) => sse({ choices: [{ index: 0, delta: { content } }] });
const LAST = sse({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], costDollars: { total: 0.005 } });

/** Pseudo-random numbers, the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** An upstream that sends replies in parts, a turn or more apart; some break off. */
async function upstreamInParts(pick: (below: number) => number) {
  return listen((req, res) => {
    req.resume().once('end', () => void reply(res, pick));
  });
}

async function reply(res: ServerResponse, pick: (below: number) => number): Promise<void> {
  const parts = [
    sse({ citations: [{ url: 'https://example.org/a' }] }),
    part('It'),
    part(' opened'),
    part(' [1].'),
    LAST,
  ];
  const breaksAt = pick(10) === 0 ? pick(parts.length) : parts.length;
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const text of parts.slice(0, breaksAt)) {
    res.write(text);
    for (let turns = pick(6); turns > 0; turns -= 1) await turn();
  }
  if (breaksAt < parts.length) res.destroy();
  else res.end('data: [DONE]\n\n');
}

/** Asks, and disconnects after a number of bytes or turns. */
async function askAndLeave(port: number, pick: (below: number) => number): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const req = request({ port, host: '127.0.0.1', agent: false, method: 'POST', path: '/api/v1/answer', headers });
  const gone = new Promise<void>((resolve) => req.once('close', resolve));
  req.on('error', () => undefined).end(QUESTION);
  const [bytes, turns] =
    pick(2) === 0
      ? [pick(900), Number.POSITIVE_INFINITY]
      : [Number.POSITIVE_INFINITY, pick(3) === 0 ? pick(12) : pick(60)];
  let read = 0;
  const state = { isGone: false };
  req.once('response', (message: IncomingMessage) => {
    message.on('error', () => undefined);
    message.on('data', (chunk: Buffer) => {
      read += chunk.length;
      if (read > bytes) req.destroy();
    });
  });
  void gone.then(() => (state.isGone = true));
  for (let passed = 0; passed < turns && !state.isGone; passed += 1) await turn();
  req.destroy();
  await gone;
}

describe('callers who hang up', () => {
  it('at 1,000 random moments leave no hold, socket or timer, and pay for their answers', async () => {
    const CALLS = 1_000;
    const AT_ONCE = 50;
    const pick = numbers(20_261_122);
    const upstream = await upstreamInParts(pick);
    const { gateway, host, finished, events, entries, waiting, totals } = await start(
      exa({ apiKey: 'a-key', baseUrl: upstream.url }),
    );
    for (let made = 0; made < CALLS; made += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => askAndLeave(host.port, pick)));
    await gateway.close();

    const outcomes = events.flatMap((event) => (event.type === 'attempt_finished' ? [event.outcome] : []));
    const answered = outcomes.filter((outcome) => outcome === 'answered').length;
    const written = await entries();
    const kinds = (kind: string) => written.filter((entry) => entry.kind === kind).length;
    expect(kinds('charge')).toBe(answered);
    expect(await totals()).toMatchObject({ usage: BigInt(answered) * PRICE, held: 0n });
    expect(finished().filter(({ cost }) => cost !== null)).toHaveLength(answered);
    expect(kinds('loss')).toBeLessThanOrEqual(outcomes.length - answered);
    // Else the calls were not interrupted at various moments.
    const left = finished().filter(({ status }) => status === 499);
    expect(left.filter(({ firstContentMs }) => firstContentMs !== null).length).toBeGreaterThan(0);
    expect(left.filter(({ firstContentMs }) => firstContentMs === null).length).toBeGreaterThan(0);
    expect(finished().filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    // The other side notices a moment later.
    for (let turns = 0; turns < 100 && (await connectionsOf(upstream.server)) > 0; turns += 1) await turn();
    expect([await connectionsOf(host.server), await connectionsOf(upstream.server), waiting.size]).toEqual([0, 0, 0]);
  });
});
