import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { ApiKeyRecord } from '@searchgate/core/ledger';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { type RedisLedger, redisLedger } from '../src/index.js';
import { type Connect, connectIoRedis, connectNodeRedis, freshPrefix, serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();

/** Forgets what was under way when a connection is lost, and rejects it only after its time limit. */
const connectForgetful: Connect = async (url) => {
  const forgetful = { autoResendUnfulfilledCommands: false, commandTimeout: 200 };
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => 20, ...forgetful }).on('error', () => {});
  await client.connect();
  return { client, end: () => client.disconnect() };
};

interface Client {
  readonly connect: Connect;
  /** Default all of them. */
  readonly operations?: readonly string[];
}

const CLIENTS: Record<string, Client> = {
  'ioredis, which sends again of itself': { connect: connectIoRedis },
  'ioredis, told not to send again': { connect: connectForgetful, operations: ['hold', 'settle'] },
  redis: { connect: connectNodeRedis },
};

const owner = { organizationId: 'acme', keyId: 'key-1' };
const holdOf = (holdId: string, expiresAtMs = Date.now() + 60_000) => {
  return { holdId, ...owner, keyLimit: 1_000n, amount: 10n, expiresAtMs, model: 'exa/answer' };
};
const TEAM = { id: 'team', limit: 10n, limitReset: null, isKept: true };
const BUDGET = {
  organizationId: 'acme',
  id: 'team',
  limit: 5n,
  limitReset: null,
  mode: 'enforce',
  createdAtMs: 1,
} as const;
const CHARGE = { cost: 7n, model: 'exa/answer', provider: 'exa', costSource: 'flat' } as const;
const LOSS = { model: 'exa/answer', provider: 'exa', cost: 1n, reason: 'upstream_error' };
const HOUR_MS = 3_600_000;
const claimOf = (idempotencyKey: string) => ({
  keyId: 'key-1',
  idempotencyKey,
  claimId: `claim-${idempotencyKey}`,
  fingerprint: 'a'.repeat(64),
});
const requestOf = (idempotencyKey: string) => {
  const nowMs = Date.now();
  return { ...claimOf(idempotencyKey), nowMs, expiresAtMs: nowMs + HOUR_MS };
};
const keyOf = (id: string): ApiKeyRecord => ({
  id,
  hash: createHash('sha256').update(id).digest('hex'),
  organizationId: 'acme',
  label: '',
  limit: null,
  limitReset: null,
  allowedModels: null,
  createdAtMs: 1,
  expiresAtMs: null,
  revokedAtMs: null,
});

/** Nothing to speak of drains of it while a test runs. */
const SLOW = { requests: 10, periodMs: 86_400_000 };
const usedOfKey = (requests: number) => ({ key: expect.closeTo(requests, 1) as number, organization: null });

/** What is answered had nothing been lost, by which operation, and what comes before it. */
type Act = (ledger: RedisLedger) => Promise<unknown>;
type Case = readonly [answer: unknown, act: Act, prepare?: Act];

const CASES: Readonly<Record<string, Case>> = {
  grant: [
    { applied: true },
    (ledger) => ledger.grant({ grantId: 'late', organizationId: 'acme', amount: 1n, note: '' }),
  ],
  adjust: [{ applied: true }, (ledger) => ledger.adjust({ adjustmentId: 'late', ...owner, amount: 3n, note: '' })],
  hold: [{ status: 'held', amount: 10n }, (ledger) => ledger.hold(holdOf('held'))],
  'hold within a rate': [
    { status: 'held', amount: 10n, ratesUsed: usedOfKey(1) },
    (ledger) => ledger.hold({ ...holdOf('rated'), keyRateLimit: SLOW }),
  ],
  // Nothing is stored that would know it again, so what is done twice counts twice.
  admit: [{ status: 'admitted', ratesUsed: usedOfKey(2) }, (ledger) => ledger.admit({ ...owner, keyRateLimit: SLOW })],
  'hold in budgets': [
    { status: 'held', amount: 10n },
    (ledger) => ledger.hold({ ...holdOf('budgeted'), budgets: [TEAM, { ...TEAM, id: 'user', isKept: false }] }),
  ],
  'adjust in budgets': [
    { applied: true },
    (ledger) => ledger.adjust({ adjustmentId: 'late', ...owner, amount: 3n, note: '', budgets: ['team'] }),
  ],
  settle: [
    { status: 'settled', cost: 7n, first: true },
    (ledger) => ledger.settle('settled', { ...CHARGE, losses: [LOSS] }),
    (ledger) => ledger.hold(holdOf('settled')),
  ],
  release: [
    { status: 'released', cost: 0n, first: true },
    (ledger) => ledger.release('released', { reason: 'failed', losses: [LOSS] }),
    (ledger) => ledger.hold(holdOf('released')),
  ],
  'release that comes late': [
    { status: 'released', cost: 0n, first: true },
    (ledger) => ledger.release('released', { reason: 'failed', losses: [LOSS] }),
    async (ledger) => {
      await ledger.hold(holdOf('released', Date.now() - 1));
      await ledger.expireHolds(Date.now());
    },
  ],
  expireHolds: [
    1,
    (ledger) => ledger.expireHolds(Date.now()),
    (ledger) => ledger.hold(holdOf('expired', Date.now() - 1)),
  ],
  removeEntries: [
    1,
    (ledger) => ledger.removeEntries('3'),
    async (ledger) => {
      await ledger.hold(holdOf('removed'));
      await ledger.settle('removed', { ...CHARGE, losses: [LOSS] });
    },
  ],
  setBudget: [BUDGET, ({ apiKeys }) => apiKeys.setBudget(BUDGET)],
  deleteBudget: [
    true,
    ({ apiKeys }) => apiKeys.deleteBudget('acme', 'team'),
    ({ apiKeys }) => apiKeys.setBudget(BUDGET),
  ],
  insertKey: [undefined, (ledger) => ledger.apiKeys.insertKey(keyOf('inserted'))],
  insertOrganization: [
    true,
    ({ apiKeys }) => apiKeys.insertOrganization({ id: 'new', name: null, createdAtMs: 1, suspendedAtMs: null }),
  ],
  claim: [{ status: 'claimed' }, ({ idempotency }) => idempotency.claim(requestOf('one'))],
  complete: [
    true,
    ({ idempotency }) => idempotency.complete(claimOf('two'), { status: 200, body: 'a' }, Date.now() + HOUR_MS),
    ({ idempotency }) => idempotency.claim(requestOf('two')),
  ],
  free: [
    true,
    ({ idempotency }) => idempotency.free(claimOf('three')),
    ({ idempotency }) => idempotency.claim(requestOf('three')),
  ],
};

function registerClient({ connect: open, operations }: Client, proxied: Promise<CuttingProxy>): void {
  const cases = Object.entries(CASES).filter(([operation]) => operations?.includes(operation) ?? true);
  for (const [operation, [answer, act, prepare]] of cases) {
    test(`${operation} answers once what it has done once`, async () => {
      const proxy = await proxied;
      const { client, end } = await open(proxy.url);
      const ledger = redisLedger({ client, prefix: freshPrefix() });
      try {
        await ledger.migrate();
        await ledger.grant({ grantId: 'first', organizationId: 'acme', amount: 100n, note: '' });
        await prepare?.(ledger);
        // The first use of a script goes by its text: the reply lost is to be that of its hash.
        await warm(act);
        const before = proxy.lost;
        proxy.loseNextReply();
        expect(await act(ledger)).toEqual(answer);
        expect(proxy.lost).toBe(before + 1);
        expect((await ledger.audit()).differences).toEqual([]);
      } finally {
        await ledger.close();
        end();
      }
    });
  }
}

/** Has the server load the script of an operation, by using it in another ledger of the same server. */
async function warm(act: Act): Promise<void> {
  const { client, end } = await connectIoRedis(server?.url ?? '');
  const other = redisLedger({ client, prefix: freshPrefix() });
  await other.migrate();
  await act(other).catch(() => undefined);
  await other.close();
  end();
}

describe.skipIf(server === undefined)(`where a reply is lost${suffix}`, () => {
  if (server === undefined) return;
  const proxied = startCuttingProxy(server.url);
  afterAll(async () => {
    await (await proxied).stop();
  });
  for (const [name, client] of Object.entries(CLIENTS)) {
    describe(`over ${name}`, () => {
      registerClient(client, proxied);
    });
  }
});

/** Stands between a client and its server, and can lose a reply: the script was run, and its client does not learn of it. */
interface CuttingProxy {
  readonly url: string;
  /** Lets the next script reach the server, keeps the reply back, and closes the connection. */
  loseNextReply(): void;
  /** How many replies were lost so far. */
  readonly lost: number;
  stop(): Promise<void>;
}

async function startCuttingProxy(serverUrl: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let armed = false;
  let lost = 0;

  function join(client: Socket): void {
    const upstream = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      upstream.destroy();
      sockets.delete(client);
    };
    sockets.add(client);
    let losing = false;
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.on('data', (chunk: Buffer) => {
      if (armed && chunk.includes('EVALSHA')) {
        armed = false;
        losing = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (!losing) return void client.write(chunk);
      lost += 1;
      end();
    });
  }

  const listener = createServer(join).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: `redis://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    loseNextReply() {
      armed = true;
    },
    get lost() {
      return lost;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
