import { AssertionError } from 'node:assert/strict';
import {
  type AnswerContext,
  type AnswerOutcome,
  isUpstreamError,
  type LiveAnswer,
  type ModelRow,
  openUpstream,
  type Provider,
  type UpstreamClient,
  type UpstreamError,
} from '@searchgate/core/provider-kit';
import { createFakeClock } from '../fake-clock.js';
import { type FaultUpstream, startFaultUpstream } from '../fault-upstream.js';
import { FAULT_EXPECTATIONS, type Fault } from '../faults.js';
import type { FaultScript, Health } from '../play-fault.js';
import type { ProviderFixture } from './provider-fixture.js';

/** Easy to find outside of a request body, and changes its meaning in a URL without encoding. */
export const QUERY = 'When did the “Zephyr Bridge” open? /../?key=1&x=2#end';

/** The result of an attempt. */
export type Ending = AnswerOutcome | UpstreamError;

/** An upstream on a loopback port, and attempts at it through the real upstream client. */
export interface Scene {
  readonly upstream: FaultUpstream;
  /** Makes one attempt; the clock moves only if the fault needs the deadline. */
  attempt(provider: Provider, slug: string, fault?: Fault | Health): Promise<Ending>;
  /** Makes one streamed attempt, during which the test moves the clock. */
  stream(provider: Provider, slug: string, streamed: Streamed): Promise<Ending>;
  /** Moves the clock. */
  advance(ms: number): Promise<void>;
}

interface Streamed {
  /** Default `healthy`. */
  readonly fault?: Fault | Health;
  readonly live: LiveAnswer;
}

/** Deadline of an attempt. */
export const TIMEOUT_MS = 30_000;

/** Runs one test in a new scene and disposes of the scene. */
export async function withScene(script: FaultScript, play: (scene: Scene) => Promise<void>): Promise<void> {
  const clock = createFakeClock();
  const upstream = await startFaultUpstream({ ...script, clock });
  const connections = openUpstream({ clock });
  const context = connections.begin(TIMEOUT_MS);
  try {
    await play({
      upstream,
      advance: (ms) => clock.advance(ms),
      async stream(provider, slug, { fault = 'healthy', live }) {
        await upstream.setFault(fault);
        return ask(provider, slug, { upstream: context.upstream, signal: context.signal, live });
      },
      async attempt(provider, slug, fault = 'healthy') {
        await upstream.setFault(fault);
        const ending = ask(provider, slug, context);
        if (fault in FAULT_EXPECTATIONS && FAULT_EXPECTATIONS[fault as Fault].reason === 'upstream_timeout') {
          // An adapter that fails before its request must not block the test.
          await Promise.race([upstream.served(1), ending]);
          await clock.advance(TIMEOUT_MS);
        }
        return ending;
      },
    });
  } finally {
    context.end();
    await connections.close();
    await upstream.close();
  }
}

/** Runs an adapter on a successful reply, without a network. */
export function hand(provider: Provider, { model, headers = {} }: Handed, text: string): Promise<Ending> {
  const header = (name: string) => headers[name];
  const upstream: UpstreamClient = { send: () => Promise.resolve({ status: 200, header, text }) };
  return ask(provider, model, { upstream, signal: new AbortController().signal });
}

/** The model of a reply, and its headers by lower-case names; a cost may depend on them. */
type Handed = Pick<ProviderFixture, 'model' | 'headers'>;

interface Context extends AnswerContext {
  /** Receives the answer as a stream. */
  readonly live?: LiveAnswer;
}

/** The model row of a fixture's model. */
export function modelOf({ id, models }: Provider, slug: string): ModelRow {
  const model = models.find((candidate) => candidate.slug === slug);
  if (model === undefined) throw new AssertionError({ message: `${id} has no model ${slug}` });
  return model;
}

export async function ask(provider: Provider, slug: string, context: Context): Promise<Ending> {
  const { answer: adapter, id } = provider;
  const model = modelOf(provider, slug);
  const { live } = context;
  const call = { model, query: QUERY };
  const outcome = await settled(() =>
    live === undefined ? adapter.answer(call, context) : adapter.stream?.(call, context, live),
  );
  if (outcome === undefined) throw new AssertionError({ message: `${id} does not stream` });
  return outcome;
}

async function settled<T>(run: () => Promise<T> | undefined): Promise<T | UpstreamError | undefined> {
  try {
    return await run();
  } catch (error) {
    if (isUpstreamError(error)) return error;
    throw new AssertionError({ message: `the adapter threw ${String(error)}, which is not an UpstreamError` });
  }
}
