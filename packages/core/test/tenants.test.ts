import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway, type GatewayOptions, memoryApiKeys, memoryLedger } from '../src/index.js';
import { handleNode } from '../src/node/index.js';
import { anthropic } from '../src/providers/index.js';

const MODEL = 'anthropic/claude-haiku-5-5';
const BODY_TIMEOUT_MS = 10_007;
const ORGANIZATIONS = ['victim', 'attacker', 'second', 'third', 'fourth', 'fifth'] as const;
type Organization = (typeof ORGANIZATIONS)[number];

const tokenOf = (organization: Organization) => `sg_${organization}_0123456789abcdef`;
const fixture = (name: string) =>
  readFileSync(new URL(`../src/providers/anthropic/fixtures/${name}.json`, import.meta.url), 'utf8');
const REPLIES = { cut: fixture('cut'), ungrounded: fixture('ungrounded'), whole: fixture('message') };

/** A fake provider: the question names the kind of reply. */
function upstream(request: IncomingMessage, reply: (text: string) => void): void {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    const kind = (['cut', 'ungrounded'] as const).find((name) => body.includes(`be ${name}`)) ?? 'whole';
    reply(REPLIES[kind]);
  });
}

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 }, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A gateway behind a real server, over a real provider; by default only the victim has credits. */
async function serve(funded: readonly Organization[] = ['victim'], options: Partial<GatewayOptions> = {}) {
  const upstreamPort = await listen((request, response) => upstream(request, (text) => response.end(text)));
  const clock = createFakeClock();
  const watched = { bodiesAwaited: 0 };
  const gateway = createGateway({
    providers: [anthropic({ apiKey: 'k', baseUrl: `http://127.0.0.1:${upstreamPort}` })],
    ledger: memoryLedger({ credits: Object.fromEntries(funded.map((name) => [name, '100'])), clock }),
    apiKeys: memoryApiKeys(ORGANIZATIONS.map((name) => ({ apiKey: tokenOf(name), label: name, organizationId: name }))),
    maxAttempts: 1,
    bodyTimeoutMs: BODY_TIMEOUT_MS,
    clock: {
      ...clock,
      schedule(delayMs, callback) {
        if (delayMs === BODY_TIMEOUT_MS) watched.bodiesAwaited += 1;
        return clock.schedule(delayMs, callback);
      },
    },
    ...options,
  });
  onTestFinished(() => gateway.close());
  const port = await listen((req, res) => void handleNode(gateway, { req, res }));
  return { port, gateway, watched, ask: (who: Organization, query: string) => ask(port, who, query) };
}

async function ask(port: number, who: Organization, query: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/answer`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf(who)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, query }),
  });
  const body = (await response.json()) as { error?: { reason: string } };
  return body.error?.reason ?? String(response.status);
}

const head = (who: Organization, contentLength: number) =>
  [
    'POST /api/v1/answer HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${tokenOf(who)}`,
    'content-type: application/json',
    `content-length: ${contentLength}`,
    '',
    '',
  ].join('\r\n');

/** A call written by hand, and its response so far. */
function open(port: number, text: string): { readonly socket: Socket; received(): string } {
  let received = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(text));
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
  socket.on('error', () => undefined);
  onTestFinished(() => {
    socket.destroy();
  });
  return { socket, received: () => received };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Sends half of many bodies and waits until the gateway has accepted or refused each call. */
async function sendHalves(port: number, watched: { readonly bodiesAwaited: number }, senders: readonly Organization[]) {
  const before = watched.bodiesAwaited;
  const calls = senders.map((who) => open(port, `${head(who, 400)}{"model":`));
  const refused = () => calls.filter(({ received }) => received().startsWith('HTTP/1.1 503')).length;
  await until(() => watched.bodiesAwaited - before + refused() === calls.length);
  return { waiting: watched.bodiesAwaited - before, refused: refused() };
}

const times = (count: number, who: Organization) => Array.from({ length: count }, () => who);

describe('a tenant next to an attacker', () => {
  it.each(['cut', 'ungrounded'])('is answered after the attacker caused twelve answers to be %s', async (kind) => {
    const { ask: call } = await serve(['victim', 'attacker']);
    const attack = async () => {
      const reasons: string[] = [];
      for (let count = 0; count < 12; count += 1) reasons.push(await call('attacker', `Please be ${kind}.`));
      return reasons;
    };
    // The attacker's failures pause the provider only for the attacker.
    const paused = (count: number) => Array.from({ length: count }, () => 'upstream_unavailable');
    expect(await attack()).toEqual([...Array.from({ length: 5 }, () => 'upstream_invalid_response'), ...paused(7)]);
    expect(await call('victim', 'When did it open?')).toBe('200');
    expect(await attack()).toEqual(paused(12));
    expect(await call('victim', 'When did it open?')).toBe('200');
  });

  it('is answered while the attacker, without credit, sends half of 1,500 bodies', { timeout: 60_000 }, async () => {
    const { port, watched, ask: call } = await serve();
    expect(await sendHalves(port, watched, times(1_500, 'attacker'))).toEqual({ waiting: 250, refused: 1_250 });
    expect(await call('victim', 'When did it open?')).toBe('200');
    expect(await call('attacker', 'When did it open?')).toBe('organization_credits_exhausted');
  });

  it('is answered even if its own body arrives in pieces', async () => {
    const { port, watched } = await serve([...ORGANIZATIONS], { maxBodyReads: 8 });
    await sendHalves(port, watched, times(20, 'attacker'));
    const body = JSON.stringify({ model: MODEL, query: 'When did it open?' });
    const call = open(port, head('victim', body.length) + body.slice(0, 10));
    const before = watched.bodiesAwaited;
    await until(() => watched.bodiesAwaited > before);
    call.socket.write(body.slice(10));
    await until(() => call.received().includes('\r\n\r\n'));
    expect(call.received()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is answered while all slots for bodies are taken, since its own body has arrived whole', async () => {
    const { port, watched, ask: call } = await serve(['victim'], { maxBodyReads: 8 });
    const attackers = (['attacker', 'second', 'third', 'fourth', 'fifth'] as const).flatMap((who) => times(3, who));
    expect(await sendHalves(port, watched, attackers)).toEqual({ waiting: 8, refused: 7 });
    expect(await call('victim', 'When did it open?')).toBe('200');
  });
});
