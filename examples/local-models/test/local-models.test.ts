import { execFile } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createGateway, isRequestError, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { memoryRequestLog } from '@searchgate/core/ledger';
import type { Provider } from '@searchgate/core/provider-kit';
import { afterAll, describe, expect, it } from 'vitest';
import { createEmbedder, type Embedder, MAX_CHARS } from '../src/embedder.js';
import { localModels } from '../src/local-models.js';
import { OPENED, PASSAGES, QUESTIONS } from './passages.js';

const apiKey = 'sg_test_key_of_the_local_models';
const embedder = createEmbedder();
afterAll(() => embedder.close());

function gatewayOver(ports: Pick<Embedder, 'embed'>) {
  const [ledger, log] = [memoryLedger({ credits: { acme: '0' } }), memoryRequestLog()];
  const provider: Provider = { id: 'local', name: 'Local', models: [], ...localModels(ports) };
  const gateway = createGateway({
    providers: [provider],
    ledger,
    requestLog: { log },
    apiKeys: memoryApiKeys([{ apiKey, label: 'test', organizationId: 'acme', limit: '0' }]),
    maxAttempts: 1,
  });
  return { gateway, ledger, log };
}

const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error: unknown) => (isRequestError(error) ? error.reason : error),
  );

describe('localModels', () => {
  it('ranks the right passage first and makes vectors, for an organization without money; the log shows the calls', async () => {
    const { gateway, ledger, log } = gatewayOver(embedder);
    expect(gateway.models({ callable: true }).map(({ id, free }) => [id, free])).toEqual([
      ['local/embed', true],
      ['local/rerank', true],
    ]);
    for (const [query, passage] of QUESTIONS) {
      const ranked = await gateway.rerank({ apiKey, model: 'local/rerank', query, documents: PASSAGES, topN: 2 });
      expect([query, ranked.results[0]?.document.text, ranked.results.length]).toEqual([query, passage, 2]);
      expect(ranked.usage).toMatchObject({ cost: 0, total_tokens: expect.toSatisfy((tokens: number) => tokens > 40) });
    }
    const { data, usage } = await gateway.embed({ apiKey, model: 'local/embed', input: PASSAGES });
    expect(data.map(({ embedding }) => embedding.length)).toEqual(PASSAGES.map(() => 512));
    expect(usage).toMatchObject({ cost: 0, prompt_tokens: expect.toSatisfy((tokens: number) => tokens > 40) });
    await gateway.close();
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 0n, held: 0n });
    const { rows } = await log.find({}, { limit: 10 });
    expect(rows.map(({ model, status, cost }) => [model, status, cost])).toEqual([
      ['local/embed', 200, 0n],
      ...QUESTIONS.map(() => ['local/rerank', 200, 0n]),
    ]);
  });

  it('refuses texts that are too long, also those that become too long while they are read', async () => {
    const { gateway } = gatewayOver(embedder);
    const reasonFor = (input: string) => reasonOf(gateway.embed({ apiKey, model: 'local/embed', input }));
    expect(await reasonFor('a'.repeat(MAX_CHARS + 1))).toBe('query_rejected');
    expect(await reasonFor('\u{FDFA}'.repeat(MAX_CHARS / 10))).toBe('query_rejected');
    await gateway.close();
  });

  it('serves other calls while the model reads 32 texts', async () => {
    let turns = 0;
    const done = new AbortController();
    const reading = embedder.embed(Array.from({ length: 32 }, () => OPENED)).finally(() => done.abort());
    for (; !done.signal.aborted; turns += 1) await setImmediate();
    expect(await reading).toHaveLength(32);
    // In this thread the model would take four turns, one for each batch.
    expect(turns).toBeGreaterThan(100);
  });
});

describe('createEmbedder', () => {
  it('makes the same vectors in any batch, of length 1', async () => {
    const [together, [alone]] = await Promise.all([
      embedder.embed([...PASSAGES, ...PASSAGES, OPENED]),
      embedder.embed([OPENED]),
    ]);
    expect(together.at(-1)).toEqual(alone);
    expect(Math.hypot(...(alone?.vector ?? []))).toBeCloseTo(1, 5);
  });

  it('goes no further for a call whose time is over', async () => {
    const ended = AbortSignal.abort();
    await expect(embedder.embed(PASSAGES, ended)).rejects.toBe(ended.reason);
  });

  it('starts the model anew after a failure, also for a call that already waits', async () => {
    const own = createEmbedder();
    const failing = own.embed(['']);
    const waiting = own.embed([OPENED]);
    await expect(failing).rejects.toThrow('sparseIndices');
    expect(await waiting).toHaveLength(1);
    await own.close();
  });

  it('lets the process end', async () => {
    const script = `const { createEmbedder } = await import(${JSON.stringify(new URL('../src/embedder.ts', import.meta.url))});
      console.log((await createEmbedder().embed(['The end.'])).length);`;
    const argv = ['--import', import.meta.resolve('tsx/esm'), '--input-type=module', '-e', script];
    expect((await promisify(execFile)(process.execPath, argv)).stdout).toBe('1\n');
  });

  it('fails the calls that wait when it is closed, and the next call starts the model anew', async () => {
    const own = createEmbedder();
    const { gateway } = gatewayOver(own);
    const embed = () => reasonOf(gateway.embed({ apiKey, model: 'local/embed', input: OPENED }));
    expect(await embed()).toBe('answered');
    const waiting = embed();
    // The call is on its way to the model after some turns.
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    await own.close();
    expect(await waiting).toBe('upstream_error');
    expect(await embed()).toBe('answered');
    await gateway.close();
    await own.close();
  });
});
