import type { RunnableModel } from '../catalog/catalog.js';
import { failureCost, listPrice, priceAt } from '../catalog/pricing.js';
import { MAX_ANSWER_LENGTH } from '../citations/reply-limits.js';
import { isUpstreamError, UpstreamError } from '../errors/upstream-error.js';
import type { EventStream } from '../events/events.js';
import type { Logger } from '../events/logger.js';
import type { Loss } from '../ledger/ledger.js';
import type { NanoUsd } from '../money/money.js';
import type { AnswerAdapter, AnswerContext, AnswerOutcome } from '../provider-kit/provider.js';
import type { Entry, ProviderHealth } from '../routing/provider-health.js';
import { askedSearch } from '../search-options/asked-search.js';
import type { Clock } from '../time/clock.js';
import type { Deadline, Deadlines } from '../time/deadline.js';
import type { AnswerRequest, RequestTrace } from './answer.js';
import type { LiveAttempt, LiveStream } from './live-stream.js';
import { boundOutcome } from './present-outcome.js';

export interface AttemptDeps {
  readonly adapters: ReadonlyMap<string, AnswerAdapter>;
  /** Opens the way to providers for one attempt, bound to its deadline. */
  openUpstream(deadline: Deadline): AnswerContext['upstream'];
  readonly health: ProviderHealth;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly events: EventStream;
  readonly logger: Logger;
}

interface AttemptInput {
  readonly candidate: RunnableModel;
  /** To the candidate's provider. */
  readonly entry: Entry;
  readonly timeoutMs: number;
  readonly request: Pick<AnswerRequest, 'query' | 'search'>;
  readonly trace: RequestTrace;
  /** Where the answer is wanted while it comes. */
  readonly live: LiveStream | null;
}

type AttemptResult =
  | { readonly status: 'answered'; readonly outcome: AnswerOutcome }
  | { readonly status: 'failed'; readonly error: UpstreamError; readonly loss: Loss | null };

/** Makes one attempt at one candidate; resolves whatever happens, within the timeout. */
export type Attempt = (input: AttemptInput) => Promise<AttemptResult>;

/** Builds the one function that reaches providers: it bounds each attempt, checks its outcome, and reports it to health and events. */
export function createAttempt(deps: AttemptDeps): Attempt {
  return async (input) => {
    const { candidate, timeoutMs, trace } = input;
    const startMs = deps.clock.monotonic();
    trace.attempts += 1;
    const deadline = deps.deadlines.start(Math.max(0, timeoutMs));
    const live = input.live?.open(candidate);
    let result: AnswerOutcome | UpstreamError;
    try {
      const outcome = await before(deadline, () => askAdapter(deps, input, { deadline, live }));
      result = unusable(outcome) ?? boundOutcome(outcome);
    } catch (error) {
      result = isUpstreamError(error) ? asOwn(error) : adapterBug(deps.logger, candidate, error);
    } finally {
      deadline.clear();
      live?.end();
    }
    const durationMs = deps.clock.monotonic() - startMs;
    trace.upstreamMs += durationMs;
    return judge(deps, input, { result, durationMs });
  };
}

interface Asking {
  readonly deadline: Deadline;
  readonly live: LiveAttempt | undefined;
}

function askAdapter(
  deps: AttemptDeps,
  { candidate: { model, provider }, request }: AttemptInput,
  { deadline, live }: Asking,
): Promise<AnswerOutcome> {
  const adapter = deps.adapters.get(provider);
  if (adapter === undefined) throw new Error(`no adapter for provider ${provider}`);
  const context = new AttemptContext(deps.openUpstream(deadline), deadline);
  const { query, search } = request;
  const call =
    search === undefined ? { model, query } : { model, query, search: askedSearch(search, deps.clock.now()) };
  if (live === undefined || adapter.stream === undefined || !model.features.includes('streaming'))
    return adapter.answer(call, context);
  return adapter.stream(call, context, live);
}

function judge(deps: AttemptDeps, input: AttemptInput, { result, durationMs }: Omit<Finished, 'cost'>): AttemptResult {
  const { entry } = input;
  if (result instanceof UpstreamError) {
    deps.health.failed(entry, result);
    const loss = lossOf(deps, input, result);
    emitFinished(deps, input, { result, durationMs, cost: loss?.cost ?? null });
    return { status: 'failed', error: result, loss };
  }
  deps.health.succeeded(entry);
  emitFinished(deps, input, { result, durationMs, cost: result.cost.reported ?? null });
  return { status: 'answered', outcome: result };
}

/** What an adapter is given for one attempt. A class, because a getter in an object literal is made again for every attempt. */
class AttemptContext implements AnswerContext {
  readonly upstream: AnswerContext['upstream'];
  readonly #deadline: Deadline;

  constructor(upstream: AnswerContext['upstream'], deadline: Deadline) {
    this.upstream = upstream;
    this.#deadline = deadline;
  }

  /** Made when it is asked for. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }
}

/** Ends the wait when the deadline passes, even for adapters that never look at their signal. */
function before<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // One turn of the event loop later, so that an upstream call that was cut off can say what it was waiting for.
    deadline.onPass(() => setImmediate(() => reject(new UpstreamError('upstream_timeout', { phase: 'body' }))));
    work().then(resolve, reject);
  });
}

/** An adapter written outside this package may hand over anything; what passes here is charged, and must not break anything after. */
function unusable(outcome: AnswerOutcome | null | undefined): UpstreamError | undefined {
  const { text, citations, cost }: Partial<AnswerOutcome> = outcome ?? {};
  const isAnswer = typeof text === 'string' && text.length <= MAX_ANSWER_LENGTH && text.trim() !== '';
  if (isAnswer && isObject(cost) && Array.isArray(citations) && citations.every(isCitation)) return undefined;
  return new UpstreamError('upstream_invalid_response', {
    phase: 'shape',
    cost: cost?.reported,
    usage: cost?.usage,
    detail: isAnswer ? 'malformed outcome' : 'empty answer, or one that is too long',
  });
}

function isCitation(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { url, title, snippet } = value as Partial<Record<string, unknown>>;
  return typeof url === 'string' && isOptionalText(title) && isOptionalText(snippet);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isOptionalText(value: unknown): boolean {
  return value == null || typeof value === 'string';
}

/** Errors of the other module format's copy of this package carry the brand but are not instances of our class. */
function asOwn(error: UpstreamError): UpstreamError {
  return error instanceof UpstreamError ? error : new UpstreamError((error as UpstreamError).reason, error);
}

/** An adapter that throws anything else has met a reply it was not written for: the attempt failed like one with an unusable reply. */
function adapterBug(logger: Logger, { provider, model }: RunnableModel, error: unknown): UpstreamError {
  logger.error({ error, provider, model: model.slug }, 'a provider adapter threw');
  return new UpstreamError('upstream_invalid_response', { phase: 'shape', detail: ADAPTER_BUG, cause: error });
}

const ADAPTER_BUG = 'the adapter threw';

/**
 * What a failed attempt may have cost the operator: the figure the provider reports, or the list price when the outcome is unknown and when
 * part of the answer has come.
 */
function lossOf(deps: AttemptDeps, { candidate, live }: AttemptInput, error: UpstreamError): Loss | null {
  const { model, provider, prices } = candidate;
  const isSold = live?.hasStarted === true || mayBeBilled(error);
  const price = priceAt(prices, deps.clock.now());
  const known = failureCost(price, { reported: error.cost ?? undefined, usage: error.usage ?? undefined });
  const cost = known ?? (isSold ? listPrice(price) : 0n);
  return cost > 0n ? { model: model.slug, provider, cost, reason: error.reason } : null;
}

/** Once a request has been sent, it is not known how a call that timed out ended at the provider. */
function mayBeBilled({ reason, phase }: UpstreamError): boolean {
  return reason === 'upstream_timeout' && phase !== 'connect';
}

interface Finished {
  readonly result: AnswerOutcome | UpstreamError;
  readonly durationMs: number;
  readonly cost: NanoUsd | null;
}

function emitFinished({ events, clock }: AttemptDeps, { candidate, trace }: AttemptInput, finished: Finished): void {
  const { result, durationMs, cost } = finished;
  const failure = result instanceof UpstreamError ? result : null;
  events.emit({
    type: 'attempt_finished',
    atMs: clock.now(),
    requestId: trace.requestId,
    attempt: trace.attempts,
    provider: candidate.provider,
    model: candidate.model.slug,
    outcome: failure?.reason ?? 'answered',
    phase: failure?.phase ?? null,
    upstreamStatus: failure?.status ?? null,
    upstreamRequestId: result instanceof UpstreamError ? null : (result.upstreamRequestId ?? null),
    durationMs,
    cost,
    detail: failure?.detail ?? '',
  });
}
