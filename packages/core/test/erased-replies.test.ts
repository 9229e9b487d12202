import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { createAdministration } from '../src/admin/index.js';
import { type GatewayOptions, type IdempotencyStore, memoryIdempotency } from '../src/index.js';
import type { AnswerOutcome } from '../src/provider-kit/index.js';
import { askOverHttp, latch, lookUp } from './ask-over-http.js';
import { OUTCOME, scripted, start as startGateway } from './scripted-gateway.js';

const MARKER = 'Planted in May';
const PLANTED: AnswerOutcome = { ...OUTCOME, text: `${MARKER} [1].` };
const HOUR_MS = 3_600_000;

function start(replies: Parameters<typeof scripted>[1], options: Partial<GatewayOptions> = {}) {
  const clock = createFakeClock(Date.UTC(2026, 10, 21));
  const exa = scripted('exa', [...replies, OUTCOME]);
  const started = startGateway([exa.provider], {
    limit: null,
    maxAttempts: 1,
    clock,
    endpoints: { asyncAnswers: true },
    ...options,
  });
  const { gateway, ledger } = started;
  const { replies: kept } = createAdministration({ ledger, gateway });
  const ask = async (headers: Record<string, string>) =>
    JSON.stringify(await askOverHttp(gateway, { body: { query: 'When?' }, headers }));
  const look = async (id: string) => JSON.stringify((await lookUp(gateway, id)).body);
  return { ...started, clock, exa, kept, ask, look };
}

const NAMED = { 'idempotency-key': 'order-17' };
const ASYNC = { prefer: 'respond-async' };
const idOf = (reply: string) => /async_\w+/.exec(reply)?.[0] ?? '';

describe('the replies of an erased organization', () => {
  it('are replayed to nobody, whether kept for a key, fetched later, or cached', async () => {
    const { kept, ask, look, ledger, clock, gateway } = start([PLANTED], { cache: { ttlMs: 24 * HOUR_MS } });
    expect(await ask(NAMED)).toContain(MARKER);
    const id = idOf(await ask(ASYNC));
    await expect.poll(() => look(id)).toContain(MARKER);
    for (const again of [NAMED, {}]) expect(await ask(again)).toContain(MARKER);

    expect(await kept?.erase('globex')).toBe(0);
    expect(await ask(NAMED)).toContain(MARKER);
    expect(await kept?.erase('acme')).toBeGreaterThanOrEqual(3);
    expect(await ask({})).not.toContain(MARKER);
    expect(await ask(NAMED)).not.toContain(MARKER);
    expect(await look(id)).toMatch(/"status":"charged"/);
    expect(await look(id)).not.toContain(MARKER);
    await clock.advance(HOUR_MS);
    expect(await ask(NAMED)).not.toContain(MARKER);
    // What was charged stays charged.
    expect((await ledger.entries()).entries.filter(({ kind }) => kind === 'charge').length).toBeGreaterThanOrEqual(4);
    await gateway.close();
  });

  it('are not kept by a call that runs meanwhile', async () => {
    const slow = latch(PLANTED);
    const { kept, ask } = start([slow.reply]);
    const running = ask(NAMED);
    await expect.poll(() => kept?.erase('acme')).toBe(1);
    slow.open();
    // Its caller still gets the answer.
    expect(await running).toContain(MARKER);
    expect(await ask(NAMED)).toContain('idempotency_key_reused');
  });

  it('are not kept for an asynchronous answer that is under way, and not charged', async () => {
    const slow = latch(PLANTED);
    const { kept, ask, look, clock, ledger } = start([slow.reply]);
    const id = idOf(await ask(ASYNC));
    expect(await kept?.erase('acme')).toBeGreaterThanOrEqual(1);
    slow.open();
    for (let minute = 0; minute < 60; minute += 1) await clock.advance(60_000);
    expect(await look(id)).not.toContain(MARKER);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 0n, held: 0n });
  });

  it('are not replayed by the process that could not store them', async () => {
    const sound = memoryIdempotency();
    const idempotency: IdempotencyStore = { ...sound, complete: () => Promise.reject(new Error('down')) };
    const { kept, ask, gateway } = start([PLANTED], { idempotency });
    expect(await ask(NAMED)).toContain(MARKER);
    expect(await ask(NAMED)).toContain(MARKER);
    await kept?.erase('acme');
    idempotency.complete = sound.complete;
    expect(await ask(NAMED)).not.toContain(MARKER);
    await gateway.close();
    expect(await ask(NAMED)).not.toContain(MARKER);
  });
});
