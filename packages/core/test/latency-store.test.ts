import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import type { GatewayOptions } from '../src/index.js';
import type { AnswerOutcome } from '../src/provider-kit/index.js';
import { OUTCOME, scripted, start, whileAdvancing } from './scripted-gateway.js';

type LatencyStore = NonNullable<GatewayOptions['latencyStore']>;

const models = ['slow/answer', 'fast/answer'];

/** A process: a gateway whose two models take their time. `ask` makes one call and says who served. */
function startProcess(clock: ReturnType<typeof createFakeClock>, latencyStore?: LatencyStore) {
  const taking = (ms: number) => () =>
    new Promise<AnswerOutcome>((resolve) => void clock.schedule(ms, () => resolve(OUTCOME)));
  const providers = [scripted('slow', [taking(3_000)]).provider, scripted('fast', [taking(200)]).provider];
  const groups = { auto: { models, sort: 'latency' } } as const;
  const { gateway, ask, logged } = start(providers, { clock, groups, latencyStore });
  const served = async (model = 'auto') => (await whileAdvancing(clock, ask(model), 100)).model;
  return { gateway, served, logged };
}

/** Keeps JSON, as a file does. */
function textStore(): LatencyStore & { text: string } {
  return {
    text: 'null',
    load() {
      return Promise.resolve(JSON.parse(this.text));
    },
    save(snapshot) {
      this.text = JSON.stringify(snapshot);
      return Promise.resolve();
    },
  };
}

describe('the order by latency after a restart', () => {
  /** Asks every model once, stops, and starts again. @returns who serves first then. */
  async function firstAfterRestart(latencyStore?: LatencyStore): Promise<string> {
    const clock = createFakeClock();
    const first = startProcess(clock, latencyStore);
    for (const model of models) await first.served(model);
    await first.gateway.close();
    await clock.advance(60_000);
    const second = startProcess(clock, latencyStore);
    await clock.advance(0);
    return second.served();
  }

  it('is the same with a store', async () => {
    expect(await firstAfterRestart(textStore())).toBe('fast/answer');
  });

  it('is as listed without one', async () => {
    expect(await firstAfterRestart()).toBe('slow/answer');
  });

  it('is as listed, and calls are served at once, while a store hangs', async () => {
    const clock = createFakeClock();
    const never = () => new Promise<never>(() => undefined);
    const { gateway, served, logged } = startProcess(clock, { load: never, save: never });
    const startMs = clock.now();
    expect(await served()).toBe('slow/answer');
    expect(clock.now() - startMs).toBeLessThan(4_000);
    await whileAdvancing(clock, gateway.close());
    expect(logged).toContain('the latency store failed');
  });
});

it.each([[null], [{}], [{ load: () => Promise.resolve(null) }]])('%j is no latency store', (latencyStore) => {
  const build = () => startProcess(createFakeClock(), latencyStore as unknown as LatencyStore);
  expect(build).toThrow('latencyStore');
});
