import { isUpstreamError, UpstreamError } from '../base/errors/upstream-error.js';
import type { EventStream } from '../base/events/events.js';
import type { Logger } from '../base/events/logger.js';
import type { NanoUsd } from '../base/money.js';
import type { Clock } from '../base/time/clock.js';
import type { Deadline, Deadlines } from '../base/time/deadline.js';
import type { AttemptContext, AttemptStream, CallStream } from '../kinds/kind-call.js';
import { costOf, lossOf, mayBeBilled, possibleCost, type SoldUnits } from '../kinds/sold-units.js';
import type { Loss } from '../ledger/ledger.js';
import { isOfKey, type KeyRing } from '../limits/key-ring.js';
import type { Slot } from '../limits/provider-limits.js';
import type { CallContext, PartFields, PartKind, PartResults, Provider } from '../provider-kit/provider.js';
import type { Latencies } from '../routing/latencies.js';
import type { AnswerRequest, RequestContext } from './answer.js';
import type { AskedParts, AskPart, OuterAttempt } from './asked-parts.js';
import type { AttemptsUnderWay } from './attempts-under-way.js';
import type { ProviderPermit } from './provider-permits.js';
import type { Race } from './race.js';

export interface AttemptDeps {
  /** By id. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** Creates the upstream client of one attempt, bound to its deadline. */
  openUpstream(deadline: Deadline, provider: string): CallContext['upstream'];
  readonly latencies: Pick<Latencies, 'record'>;
  readonly deadlines: Deadlines;
  readonly underWay: Pick<AttemptsUnderWay, 'begin' | 'end'>;
  readonly clock: Clock;
  readonly events: EventStream;
  readonly logger: Logger;
}

export interface AttemptInput {
  readonly permit: ProviderPermit;
  readonly request: Pick<AnswerRequest, 'call' | 'search' | 'scope' | 'apiKey' | 'isDisconnected'>;
  readonly context: RequestContext;
  /** The call's deadline, by the monotonic clock. */
  readonly endsAtMs: number;
  /** The caller's stream; `null` when the caller wants the whole answer at once. */
  readonly live: CallStream | null;
  /** The race of a hedged call; `undefined` when the call is not hedged. */
  readonly race?: Race | undefined;
  /** Asks the parts of a candidate that has some. */
  readonly askPart?: AskPart | undefined;
  /** Of a part: the attempt that it belongs to. */
  readonly within?: OuterAttempt | undefined;
}

export interface WayOfAttempt extends OuterAttempt {
  live: AttemptStream | undefined;
  /** The last key, of a provider with several. */
  key: string | undefined;
  /** Of requests that were sent again with another key; `null` for none. */
  losses: readonly Loss[] | null;
  /** `undefined` for a model without parts. */
  readonly parts: AskedParts | undefined;
}

/** Opens the caller's stream, for each key anew. */
export function openStream({ live, permit: { candidate }, race }: AttemptInput): AttemptStream | undefined {
  return live?.open(candidate, race && (() => race.claim(candidate)));
}

/** The context of one attempt, and of one key. A class, because an object literal would create its functions anew for every attempt. */
export class OwnContext implements AttemptContext {
  readonly upstream: CallContext['upstream'];
  readonly live: AttemptStream | undefined;
  readonly keyName: string | undefined;
  readonly apiKey: string | undefined;
  readonly #deps: AttemptDeps;
  readonly #input: AttemptInput;
  readonly #way: WayOfAttempt;

  constructor(deps: AttemptDeps, input: AttemptInput, way: WayOfAttempt) {
    this.upstream = deps.openUpstream(way.deadline, input.permit.candidate.provider);
    this.live = way.live;
    this.keyName = way.key;
    this.apiKey = input.permit.candidate.own?.reveal();
    this.#deps = deps;
    this.#input = input;
    this.#way = way;
  }

  /** Created at the first read. */
  get signal(): AbortSignal {
    return this.#way.deadline.signal;
  }

  ask<T>(send: (context: AttemptContext) => Promise<T>, own: Slot | null = null): Promise<T> {
    const { ring, slot } = this.#input.permit;
    return ring === undefined ? send(this) : this.#askKeys(ring, send, own ?? slot);
  }

  /**
   * Sends a request again with the next key where a key is at fault, at most once with each. Other failures are the same with every key.
   *
   * @throws the failure of the last key.
   */
  async #askKeys<T>(ring: KeyRing, send: (context: AttemptContext) => Promise<T>, slot: Slot): Promise<T> {
    const [deps, input, way] = [this.#deps, this.#input, this.#way];
    const tried = new Set<string>();
    for (;;) {
      const use = slot.key;
      if (use === undefined) throw new Error('a slot without a key');
      tried.add((way.key = use.key.name));
      try {
        const result = await send(new OwnContext(deps, input, way));
        ring.succeeded(use);
        return result;
      } catch (error) {
        if (!isUpstreamError(error)) throw error;
        ring.failed(use, evidenceOf(input, error));
        if (!isOfKey(error)) throw error;
        // Before the next one is taken: the slot may be the only one.
        slot.free();
        const next = await this.#nextSlot(tried);
        if (next === null || way.deadline.passed) {
          next?.free();
          // The attempt ends with this failure, and books what it has cost.
          throw error;
        }
        // Who holds the slot uses the new key for the parts that follow, and frees it.
        Object.assign(slot, next);
        const loss = lossOfFailure(deps, input, { error, isSold: mayBeBilled(error) });
        if (loss !== null) way.losses = [...(way.losses ?? []), loss];
        way.live?.end();
        way.live = openStream(input);
      }
    }
  }

  /** @returns `null` where no time is left, something has been delivered, or the caller has gone away. */
  #nextSlot(tried: ReadonlySet<string>): Promise<Slot | null> | null {
    const { permit, endsAtMs, live, request } = this.#input;
    const { deadline } = this.#way;
    const isGone = () => deadline.passed || request.isDisconnected();
    if (live?.hasStarted === true || isGone()) return null;
    const waiting = permit.nextSlot(tried, { longestMs: endsAtMs - this.#deps.clock.monotonic(), isGone });
    // Nothing is under way: an attempt that ends meanwhile has failed for want of a key, which costs nothing more and tells nothing about the provider.
    return Promise.race([waiting, new Promise<null>((resolve) => deadline.onPass(() => resolve(null)))]);
  }

  run<Kind extends PartKind>(kind: Kind, model: string, fields: PartFields[Kind]) {
    const { parts } = this.#way;
    if (parts === undefined) throw new Error('the model has no parts');
    const asked = parts.run(kind, model, { fields, within: this.#way }) as Promise<readonly PartResults[Kind][]>;
    // Of several parts at once, an adapter may have gone on at the first failure: the others must not end the process.
    asked.catch(() => undefined);
    return asked;
  }

  enterSlot(): Slot | null {
    return this.#input.permit.enterSlot();
  }

  costOf(part: SoldUnits): NanoUsd {
    return possibleCost(this.#input.permit.candidate, part, this.#deps.clock.now());
  }

  citationsDropped({ dropped, kept }: { readonly dropped: number; readonly kept: number }): void {
    if (this.#way.deadline.passed) return;
    const { events, clock } = this.#deps;
    const { permit, context } = this.#input;
    const { provider, model } = permit.candidate;
    const about = { requestId: context.requestId, provider, model: model.slug };
    events.emit({ type: 'citations_dropped', atMs: clock.now(), ...about, dropped, kept });
  }
}

/** What a failed request has cost the operator; `null` for nothing. */
export function lossOfFailure(
  { clock }: AttemptDeps,
  { permit: { candidate }, request: { call } }: AttemptInput,
  { error, isSold }: { readonly error: UpstreamError; readonly isSold: boolean },
): Loss | null {
  const units = call.askedUnits(candidate.model)?.likely;
  return lossOf(candidate, { cost: costOf(error), isSold, reason: error.reason, atMs: clock.now(), units });
}

/**
 * Of a page that the caller names, the caller may own the server: a vendor that takes its failure for one of its own must not be paused for all callers.
 */
export function evidenceOf({ request: { call } }: AttemptInput, error: UpstreamError): UpstreamError {
  const isDoubtful = error.reason === 'upstream_error' || error.reason === 'upstream_auth_failed';
  return call.kind.mayFailByInput && isDoubtful ? new UpstreamError('upstream_invalid_response', error) : error;
}
