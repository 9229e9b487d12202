import { AssertionError } from 'node:assert/strict';
import {
  type CallContext,
  isUpstreamError,
  type LiveAnswer,
  openUpstream,
  type Provider,
  type UpstreamClient,
  type UpstreamError,
} from '@searchgate/core/provider-kit';
import { createFakeClock } from '../fake-clock.js';
import { type FaultUpstream, startFaultUpstream } from '../fault-upstream.js';
import { FAULT_EXPECTATIONS, type Fault } from '../faults.js';
import type { FaultScript, Health } from '../play-fault.js';
import { type Asked, callPort, modelOf, type Outcome, QUERY } from './ports.js';
import type { ProviderFixture } from './provider-fixture.js';

/** The result of an attempt. */
export type Ending = Outcome | UpstreamError;

/** An upstream on a loopback port, and attempts at it through the real upstream client. */
export interface Scene {
  readonly upstream: FaultUpstream;
  /** Makes one attempt; the clock moves only if the fault needs the deadline. */
  attempt(provider: Provider, asked: Asked, fault?: Fault | Health): Promise<Ending>;
  /** Makes one streamed attempt, during which the test moves the clock. */
  stream(provider: Provider, slug: string, streamed: Streamed): Promise<Ending>;
  /** Moves the clock. */
  advance(ms: number): Promise<void>;
}

interface Streamed {
  /** Default `healthy`. */
  readonly fault?: Fault | Health;
  readonly live: LiveAnswer;
  /** As {@link Asked.apiKey}. */
  readonly apiKey?: string | undefined;
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
      async stream(provider, slug, { fault = 'healthy', ...streamed }) {
        await upstream.setFault(fault);
        return ask(provider, { model: slug }, { upstream: context.upstream, signal: context.signal, ...streamed });
      },
      async attempt(provider, asked, fault = 'healthy') {
        await upstream.setFault(fault);
        const { upstream: client, signal } = context;
        const ending = ask(provider, asked, { upstream: client, signal, apiKey: asked.apiKey });
        if (
          Object.hasOwn(FAULT_EXPECTATIONS, fault) &&
          FAULT_EXPECTATIONS[fault as Fault].reason === 'upstream_timeout'
        ) {
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

/** Runs a port on a successful reply, without a network. */
export function hand(provider: Provider, asked: Handed, text: string): Promise<Ending> {
  const header = (name: string) => asked.headers?.[name];
  const upstream: UpstreamClient = { send: () => Promise.resolve({ status: 200, header, text }) };
  return ask(provider, asked, { upstream, signal: new AbortController().signal });
}

/** The call of a reply, and the reply's headers by lower-case names; a cost may depend on them. */
type Handed = Asked & Pick<ProviderFixture, 'headers'>;

interface Context extends CallContext {
  /** Receives the answer as a stream. */
  readonly live?: LiveAnswer;
}

export async function ask(provider: Provider, asked: Asked, context: Context): Promise<Ending> {
  const { live } = context;
  const outcome = await settled(() => {
    if (live === undefined) return callPort(provider, asked, context);
    return provider.answer?.stream?.({ model: modelOf(provider, asked.model), query: QUERY }, context, live);
  });
  if (outcome === undefined) throw new AssertionError({ message: `${provider.id} does not stream` });
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
