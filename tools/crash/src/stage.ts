import type { NanoUsd } from '@searchgate/core';
import type { DurableLedger } from '@searchgate/core/ledger';
import { inject } from 'vitest';
import { type Accounts, type NewAccount, openAccount, type TestKey } from './accounts.js';
import { type AcknowledgedAnswer, ask, type Call, type Outcome } from './ask.js';
import type { Engine } from './engines.js';
import { type GatewayProcess, type ServerProcess, startGatewayProcess } from './gateway-process.js';
import { type CheckedLedger, checkLedger } from './ledger-check/check-ledger.js';
import type { Evidence } from './ledger-check/evidence.js';
import { openLedger } from './open-ledger.js';
import { type QuestionServer, startQuestionServer } from './question-server.js';
import { type SeededRandom, seededRandom } from './seeded-random.js';
import type { WorkerOptions } from './worker/worker-options.js';

/** The environment of a scenario: an empty ledger without a schema, an upstream, callers with a journal, and its gateways. */
export interface Stage {
  readonly engine: Engine;
  readonly random: SeededRandom;
  /** Location of the ledger, see `openLedger`. */
  readonly location: string;
  /** The test process's own handle of the ledger. */
  readonly ledger: DurableLedger;
  readonly upstream: QuestionServer;
  readonly journal: Journal;
  /** Opens an account whose money the scenario spends. */
  account(account: NewAccount): Promise<TestKey>;
  /** Registers an account that others have opened, with its only grant. */
  enlist(key: TestKey, credits: NanoUsd): TestKey;
  /**
   * Starts a gateway on the ledger. It ends with the stage at the latest. With `CRASH_OTHER` the first, third, fifth and so on are of that checkout, and
   * bring no budgets.
   */
  start(gateway?: NewGateway): Promise<GatewayProcess>;
  /** Adopts a server that a scenario starts: it ends with the stage at the latest. */
  adopt<S extends ServerProcess>(starting: Promise<S>): Promise<S>;
  /** Makes one call and records its outcome. */
  call(gateway: ServerProcess, call: Call): Promise<Outcome>;
  /** Compares the ledger with all records of the scenario. No process may write meanwhile. */
  check(): Promise<CheckedLedger>;
  /** Ends holds as if this time had passed. @returns the number of ended holds. */
  expireAfter(ms: number): Promise<number>;
}

export interface NewGateway extends Partial<WorkerOptions> {
  /** Error of its clock. */
  readonly clockOffsetMs?: number;
}

export interface StageOptions {
  readonly engine: Engine;
  /** Duration of each answer upstream. Default: 0. */
  readonly answerDelayMs?: (random: SeededRandom) => number;
}

/** Long enough not to matter, unless a scenario changes them: calls are short and holds are expired explicitly. */
const WORKER_DEFAULTS = {
  answerTimeoutMs: 30_000,
  holdGraceMs: 60_000,
  expireHoldsEveryMs: 0,
  ledgerTimeoutMs: 30_000,
};

/** Runs a scenario on a new stage, and removes the stage. A failure is reported with the seed and the gateways' output. */
export async function onStage(options: StageOptions, play: (stage: Stage) => Promise<void>): Promise<void> {
  const { stage, servers, clear } = await setStage(options);
  try {
    await play(stage);
  } catch (error) {
    const logs = (await startedServers(servers)).map((server) => server.log()).filter((log) => log !== '');
    console.error(`${options.engine.name}: CRASH_SEED=${inject('seed')}\n${logs.slice(-8).join('\n')}`);
    throw error;
  } finally {
    await clear();
  }
}

async function setStage({ engine, answerDelayMs = () => 0 }: StageOptions) {
  const random = seededRandom(inject('seed'));
  const location = await engine.newLedger();
  const { ledger, close } = await openLedger(location);
  const upstream = await startQuestionServer(() => answerDelayMs(random));
  const journal = createJournal();
  const accounts: Accounts = { organizations: [], keys: [] };
  const servers: Promise<ServerProcess>[] = [];
  const evidence = (): Evidence => ({
    ...accounts,
    acknowledged: journal.acknowledged,
    upstreamCalls: upstream.calls,
    startedAtMs,
  });
  const startedAtMs = Date.now();

  const stage: Stage = {
    engine,
    random,
    location,
    ledger,
    upstream,
    journal,
    async account(account) {
      await ledger.migrate();
      return stage.enlist(await openAccount(ledger, account), account.credits);
    },
    enlist(key, credits) {
      const { organizationId: id } = key;
      if (accounts.organizations.every((known) => known.id !== id)) accounts.organizations.push({ id, credits });
      accounts.keys.push(key);
      return key;
    },
    start({ clockOffsetMs = 0, ...options } = {}) {
      const own = { location, upstreamUrl: upstream.url, ...WORKER_DEFAULTS, ...options };
      const other = servers.length % 2 === 0 ? inject('otherWorkers') : '';
      if (other === '') return stage.adopt(startGatewayProcess(own, inject('workers'), clockOffsetMs));
      const { identityBudgets: _, ...known } = own;
      return stage.adopt(startGatewayProcess(known, other, clockOffsetMs));
    },
    adopt(starting) {
      servers.push(starting);
      return starting;
    },
    call: async (gateway, call) => journal.record(call, await ask(gateway, call)),
    check: () => checkLedger(ledger, evidence()),
    expireAfter: (ms) => ledger.expireHolds(Date.now() + ms),
  };
  async function clear(): Promise<void> {
    for (const server of await startedServers(servers)) await server.kill();
    await upstream.close();
    await close();
  }
  return { stage, servers, clear };
}

/** Waits for starting servers, without those that fail. */
async function startedServers(starting: readonly Promise<ServerProcess>[]): Promise<ServerProcess[]> {
  const results = await Promise.allSettled(starting);
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** The records of a scenario's callers. */
interface Journal {
  readonly calls: number;
  readonly acknowledged: readonly AcknowledgedAnswer[];
  readonly lost: readonly Call[];
  /** Number of refusals by kind, such as `402 key_limit_reached`. */
  readonly refusals: ReadonlyMap<string, number>;
  /** Records the outcome of a call, before the scenario acts on it. */
  record(call: Call, outcome: Outcome): Outcome;
}

function createJournal(): Journal {
  const acknowledged: AcknowledgedAnswer[] = [];
  const lost: Call[] = [];
  const refusals = new Map<string, number>();
  let calls = 0;

  return {
    get calls() {
      return calls;
    },
    acknowledged,
    lost,
    refusals,
    record(call, outcome) {
      calls += 1;
      if (outcome.status === 'answered') acknowledged.push(outcome.answer);
      else if (outcome.status === 'lost') lost.push(call);
      else {
        const refusal = `${outcome.code} ${outcome.reason}`;
        refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
      }
      return outcome;
    },
  };
}
