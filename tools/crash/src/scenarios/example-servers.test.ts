import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatUsd, generateApiKey, parseUsd } from '@searchgate/core';
import { afterAll, expect, it } from 'vitest';
import type { TestKey } from '../accounts.js';
import { engineSuite } from '../engine-suite.js';
import { startExample } from '../example-process.js';
import type { ServerProcess } from '../gateway-process.js';
import { keepAsking } from '../keep-asking.js';
import { onStage, type Stage } from '../stage.js';
import { EXA, PRICE_NANOS } from '../upstream-dialects.js';

const CREDITS = '1000';
/** Room for 200 calls; each costs a little less than its hold. */
const LIMIT = BigInt(200 * PRICE_NANOS);
const ANSWERS_BEFORE_KILL = 80;
const CALLERS = 16;
const MAX_CALLS = 20_000;
const AN_HOUR_MS = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'searchgate-examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

await engineSuite('two instances of the standalone example, one killed', (engine) => {
  it('never exceed the limit of a key, and have exact sums', { timeout: 150_000 }, async () => {
    await onStage({ engine, answerDelayMs: (random) => random.between(0, 30) }, async (stage) => {
      const { key, environment } = configure(stage);
      // In parallel: two instances find an empty ledger and the same configuration.
      const [doomed, other] = await Promise.all([
        stage.adopt(startExample(environment)),
        stage.adopt(startExample(environment)),
      ]);
      await askAndKill(stage, key, [doomed, other]);
      await askUntilRefused(stage, key, other);
      // Holds of the killed server count until they expire, and can be spent then.
      const left = await stage.check();
      expect(left.problems).toEqual({});
      expect(left.audit.openHolds).toBeGreaterThan(0);
      expect(await stage.expireAfter(AN_HOUR_MS)).toBe(left.audit.openHolds);
      await askUntilRefused(stage, key, other);

      const { problems, keyTotals, audit } = await stage.check();
      expect(problems).toEqual({});
      expect(audit.openHolds).toBe(0);
      const usage = keyTotals.get(key.id)?.usage ?? 0n;
      expect(LIMIT - usage).toBeLessThan(PRICE_NANOS);
      expect([...stage.journal.refusals.keys()].filter((refusal) => !/^4(02|29) /.test(refusal))).toEqual([]);
      expect(await read(other, key, 'key')).toMatchObject({ usage: Number(formatUsd(usage)), limit: 1 });
      expect(await read(other, key, 'credits')).toEqual({
        total_credits: 1_000,
        total_usage: Number(formatUsd(usage)),
      });
      await other.stop();
    });
  });
});

/** Writes an operator's configuration. */
function configure({ engine, location, upstream, enlist }: Stage) {
  const { id, secret } = generateApiKey();
  const [organizationId, limit] = ['acme', LIMIT];
  const config = {
    organizations: [{ id: organizationId, credits: CREDITS }],
    apiKeys: [{ secret, label: 'limited', organizationId, limit: formatUsd(limit) }],
  };
  const [file, documents] = [join(folder, `${engine.name}.json`), join(folder, 'guide.md')];
  writeFileSync(file, JSON.stringify(config));
  writeFileSync(documents, '# Guide\n\nThe shop opens at nine.\n');
  const environment = {
    SEARCHGATE_LEDGER: location,
    SEARCHGATE_CONFIG: file,
    SEARCHGATE_DOCS_DIR: folder,
    SEARCHGATE_DOCS_BASE_URL: 'https://example.org/docs/',
    EXA_API_KEY: 'exa-secret',
    EXA_BASE_URL: upstream.url,
  };
  return {
    key: enlist({ id, secret, organizationId, limit, limitReset: null, budgets: [[]] }, parseUsd(CREDITS)),
    environment,
  };
}

/** Loads both servers, and kills the first under load. */
async function askAndKill(stage: Stage, key: TestKey, [doomed, other]: readonly [ServerProcess, ServerProcess]) {
  const { journal, upstream } = stage;
  const servers = [doomed, other];
  await askWhile(stage, key, { servers, isOver: () => journal.acknowledged.length >= ANSWERS_BEFORE_KILL });
  // At least one call runs when the server dies, so that a hold is left behind.
  const lastCall = { key, question: `${key.id} that gets no answer`, model: EXA };
  const last = { isLost: false };
  upstream.hold(lastCall.question);
  await Promise.all([
    askWhile(stage, key, { servers, isOver: () => last.isLost }),
    stage.call(doomed, lastCall).then(() => (last.isLost = true)),
    upstream.asked(lastCall.question).then(() => doomed.kill()),
  ]);
}

/** Ends with the first refused call: calls in flight then use up the rest. */
async function askUntilRefused(stage: Stage, key: TestKey, server: ServerProcess): Promise<void> {
  const { refusals } = stage.journal;
  const seen = () => [...refusals.values()].reduce((sum, times) => sum + times, 0);
  const before = seen();
  await askWhile(stage, key, { servers: [server], isOver: () => seen() > before });
}

interface Load {
  readonly servers: readonly ServerProcess[];
  isOver(): boolean;
}

function askWhile(stage: Stage, key: TestKey, { servers, isOver }: Load): Promise<void> {
  const { journal, random } = stage;
  return keepAsking({
    callers: CALLERS,
    maxCalls: MAX_CALLS,
    isOver,
    async askOnce() {
      const question = `${key.id} #${journal.calls} ${random.next()}`;
      await stage.call(random.pick(servers), { key, question, model: EXA });
    },
  });
}

async function read({ http }: ServerProcess, { secret }: TestKey, path: string): Promise<unknown> {
  const { body } = await http.request({
    method: 'GET',
    path: `/api/v1/${path}`,
    headers: { authorization: `Bearer ${secret}` },
  });
  return body.json();
}
