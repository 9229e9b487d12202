import { isUpstreamError, UpstreamError } from '../base/errors/upstream-error.js';
import type { EventStream } from '../base/events/events.js';
import type { Logger } from '../base/events/logger.js';
import type { AttemptFinished } from '../base/events/provider-events.js';
import type { TracedAttempt } from '../base/events/tracing.js';
import { parseVendorJson } from '../base/json-counts.js';
import { tokenCount } from '../base/metered-usage.js';
import type { NanoUsd } from '../base/money.js';
import { askedDomains } from '../base/search-options/asked-domains.js';
import { askedSearch } from '../base/search-options/asked-search.js';
import type { Clock } from '../base/time/clock.js';
import type { Deadline, Deadlines } from '../base/time/deadline.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { KindOutcome, KindValue } from '../kinds/kind.js';
import { costOf, lossOf, mayBeBilled, possibleCost, type SoldUnits } from '../kinds/sold-units.js';
import type { Loss } from '../ledger/ledger.js';
import type { UpstreamLimits } from '../limits/provider-limits.js';
import type { AnswerOutcome, CallContext, Provider } from '../provider-kit/provider.js';
import type { CircuitBreaker } from '../routing/circuit-breaker.js';
import type { Latencies } from '../routing/latencies.js';
import { hasWords } from '../text/own-markers.js';
import { boundText } from '../text/page-fields.js';
import { MAX_ANSWER_LENGTH, MAX_ID_CHARACTERS } from '../text/reply-limits.js';
import type { AttemptPermit } from './acquire-attempt.js';
import type { AnswerRequest, RequestContext } from './answer.js';
import type { LiveAttempt, LiveStream } from './live-stream.js';
import { boundOutcome, onlyCitations } from './present-outcome.js';
import type { Race } from './race.js';

export interface AttemptDeps {
  /** By id. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** Creates the upstream client of one attempt, bound to its deadline. */
  openUpstream(deadline: Deadline, provider: string): CallContext['upstream'];
  readonly limits: Pick<UpstreamLimits, 'enter'>;
  readonly breaker: CircuitBreaker;
  readonly latencies: Pick<Latencies, 'record'>;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly events: EventStream;
  readonly logger: Logger;
}

export interface AttemptInput {
  readonly permit: AttemptPermit;
  readonly request: Pick<AnswerRequest, 'query' | 'earlier' | 'responseFormat' | 'search' | 'capability' | 'apiKey'>;
  readonly trace: RequestContext;
  /** The call's deadline, by the monotonic clock. */
  readonly endsAtMs: number;
  /** The caller's stream; `null` when the caller wants the whole answer at once. */
  readonly live: LiveStream | null;
  /** The race of a hedged call; `undefined` when the call is not hedged. */
  readonly race?: Race | undefined;
}

/** What a provider gave: an answer, or the value of another capability. */
export type ServedOutcome = AnswerOutcome | KindOutcome<KindValue>;

export type AttemptResult = { readonly losses: readonly Loss[] } & (
  | { readonly status: 'answered'; readonly outcome: ServedOutcome }
  | { readonly status: 'failed'; readonly error: UpstreamError }
  /** Another attempt of the call delivered content first. */
  | { readonly status: 'hedged' }
);

/** Makes one attempt at one candidate. Never rejects, and resolves within the model's timeout and the time the call has left. */
export type Attempt = (input: AttemptInput) => Promise<AttemptResult>;

/** Builds the only function that calls providers. It limits each attempt's time, checks the outcome, and reports it to the circuit breaker and as an event. */
export function createAttempt(deps: AttemptDeps): Attempt {
  return async (input) => {
    const { permit, trace, race } = input;
    const { candidate } = permit;
    const startMs = deps.clock.monotonic();
    const timeoutMs = Math.min(candidate.timeoutMs, input.endsAtMs - startMs);
    const { requestId } = trace;
    const attempt = (trace.attempts += 1);
    const {
      category,
      provider,
      model: { slug: model },
    } = candidate;
    const span = trace.span?.startAttempt({ requestId, attempt, provider, model, category });
    const deadline = deps.deadlines.start(Math.max(0, timeoutMs));
    race?.join(candidate, () => deadline.pass());
    const live = input.live?.open(candidate, race && (() => race.claim(candidate)));
    let result: ServedOutcome | UpstreamError;
    try {
      // JSON is handed over once it is known to be whole.
      const way = { deadline, live: input.request.responseFormat === undefined ? live : undefined };
      const asked = span === undefined ? askProvider(deps, input, way) : span.run(() => askProvider(deps, input, way));
      const outcome = await before(deadline, asked);
      result = input.request.capability === undefined ? usableAnswer(deps, input, outcome as AnswerOutcome) : outcome;
    } catch (error) {
      result = isUpstreamError(error) ? asOwn(error) : adapterBug(deps.logger, candidate, error);
    } finally {
      deadline.clear();
      live?.end();
      permit.slot.free();
    }
    const durationMs = deps.clock.monotonic() - startMs;
    const isLost =
      race !== undefined && (result instanceof UpstreamError ? race.isLostBy(candidate) : !race.claim(candidate));
    const ended = { result, attempt, timeoutMs, durationMs, span };
    return isLost ? endLost(deps, input, ended) : end(deps, input, ended);
  };
}

interface WayOfAttempt {
  readonly deadline: Deadline;
  readonly live: LiveAttempt | undefined;
}

function askProvider(
  deps: AttemptDeps,
  { permit, request }: AttemptInput,
  { deadline, live }: WayOfAttempt,
): Promise<ServedOutcome> {
  const { model, facts, provider: id } = permit.candidate;
  const provider = deps.providers.get(id);
  if (provider === undefined) throw new Error(`no provider ${id}`);
  const context = new AttemptContext(deps.openUpstream(deadline, id), deadline);
  const { query, earlier, responseFormat, search, capability } = request;
  if (capability !== undefined) {
    const asked = search && askedSearch(search, deps.clock.now());
    const enterSlot = () => deps.limits.enter(id, request.apiKey.organizationId);
    const costOfPart = (part: SoldUnits) => possibleCost(permit.candidate, part, deps.clock.now());
    const call = { model, facts, search: asked, options: search, enterSlot, costOf: costOfPart };
    return capability.ask(provider, call, context);
  }
  const adapter = provider.answer;
  if (adapter === undefined) throw new Error(`the provider ${id} answers no questions`);
  const filters = search && { search: askedSearch(search, deps.clock.now()) };
  const call = { model, query, ...(earlier && { earlier }), ...(responseFormat && { responseFormat }), ...filters };
  if (live === undefined || adapter.stream === undefined || !model.features.includes('streaming'))
    return adapter.answer(call, context);
  return adapter.stream(call, context, live);
}

function end(deps: AttemptDeps, input: AttemptInput, ended: Ended): AttemptResult {
  const { candidate, circuitPermit } = input.permit;
  const { result, durationMs } = ended;
  if (result instanceof UpstreamError) {
    if (wasCutShort(input, ended, result)) deps.breaker.abandoned(circuitPermit);
    else deps.breaker.failed(circuitPermit, evidenceOf(input, result));
    if (usedItsDeadline(candidate, ended, result)) deps.latencies.record(candidate.model.slug, durationMs);
    // The provider bills a part that was delivered, though the caller does not pay for it.
    const isSold = input.live?.hasStarted === true || mayBeBilled(result);
    const atMs = deps.clock.now();
    const loss = lossOf(candidate, {
      cost: costOf(result),
      isSold,
      reason: result.reason,
      atMs,
      units: input.request.capability?.unitsOf(candidate.model).likely,
    });
    emitFinished(deps, input, { ...ended, outcome: result.reason, cost: loss?.cost ?? null });
    return { status: 'failed', error: result, losses: loss === null ? [] : [loss] };
  }
  deps.breaker.succeeded(circuitPermit);
  deps.latencies.record(candidate.model.slug, durationMs);
  emitFinished(deps, input, { ...ended, outcome: 'answered', cost: result.cost.reported ?? null });
  return { status: 'answered', outcome: result, losses: lossesOfParts(candidate, result) };
}

/** A lost attempt was stopped or came second: it says nothing about the provider's health or latency. Its cost is the operator's loss. */
function endLost(deps: AttemptDeps, input: AttemptInput, ended: Ended): AttemptResult {
  const { result } = ended;
  const { candidate, circuitPermit } = input.permit;
  deps.breaker.abandoned(circuitPermit);
  const [cost, isSold] = result instanceof UpstreamError ? [costOf(result), mayBeBilled(result)] : [result.cost, true];
  const { capability } = input.request;
  const { model } = candidate;
  const units = 'value' in result ? capability?.billedUnits(result.value, model) : capability?.unitsOf(model).likely;
  const loss = lossOf(candidate, { cost, isSold, reason: 'hedged', atMs: deps.clock.now(), units });
  emitFinished(deps, input, { ...ended, outcome: 'hedged', cost: loss?.cost ?? null });
  const ofParts = lossesOfParts(candidate, result).map((each) => ({ ...each, reason: 'hedged' }));
  return { status: 'hedged', losses: loss === null ? ofParts : [loss, ...ofParts] };
}

function lossesOfParts({ model, provider }: CallableModel, result: ServedOutcome | UpstreamError): readonly Loss[] {
  const losses = 'value' in result ? result.losses : undefined;
  return losses?.map((loss) => ({ model: model.slug, provider, ...loss })) ?? NO_LOSSES;
}

const NO_LOSSES: readonly Loss[] = [];

/**
 * Of a page that the caller names, the caller may own the server: a vendor that takes its failure for one of its own must not be paused for all callers.
 */
function evidenceOf({ request: { capability } }: AttemptInput, error: UpstreamError): UpstreamError {
  const isDoubtful = error.reason === 'upstream_error' || error.reason === 'upstream_auth_failed';
  return capability?.mayFailByInput === true && isDoubtful
    ? new UpstreamError('upstream_invalid_response', error)
    : error;
}

/** A timeout counts as a latency only if the attempt had the model's full timeout, not just the rest of the call's time. */
function usedItsDeadline(candidate: CallableModel, { timeoutMs }: Ended, { reason, phase }: UpstreamError): boolean {
  return reason === 'upstream_timeout' && phase !== 'connect' && timeoutMs >= candidate.timeoutMs;
}

/** The attempt had less time because the call had waited for one of our slots: its timeout says nothing about the provider. */
function wasCutShort({ permit, trace }: AttemptInput, { timeoutMs }: Ended, { reason }: UpstreamError): boolean {
  return reason === 'upstream_timeout' && trace.waitedMs > 0 && timeoutMs < permit.candidate.timeoutMs;
}

/** The adapter's context for one attempt. A class, because an object literal would create its getter anew for every attempt. */
class AttemptContext implements CallContext {
  readonly upstream: CallContext['upstream'];
  readonly #deadline: Deadline;

  constructor(upstream: CallContext['upstream'], deadline: Deadline) {
    this.upstream = upstream;
    this.#deadline = deadline;
  }

  /** Created at the first read. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }
}

/** Rejects when the deadline passes, even if the adapter ignores its signal. */
function before<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // Rejects one turn of the event loop later, so that an aborted upstream call can first report its phase.
    deadline.onPass(() => setImmediate(() => reject(new UpstreamError('upstream_timeout', { phase: 'body' }))));
    work.then(resolve, reject);
  });
}

function usableAnswer(deps: AttemptDeps, input: AttemptInput, outcome: AnswerOutcome): AnswerOutcome | UpstreamError {
  const isJson = input.request.responseFormat !== undefined;
  // Brackets in JSON are data.
  const shown = () => boundOutcome(isJson ? { ...outcome, markers: [] } : outcome);
  return unusable(outcome, isJson) ?? withinDomains(deps, input, shown());
}

/** Adapters written outside this package may return anything. An outcome that passes this check is charged, and must not break later code. */
function unusable(outcome: AnswerOutcome | null | undefined, isJson: boolean): UpstreamError | undefined {
  const { text, citations, cost }: Partial<AnswerOutcome> = outcome ?? {};
  const isWellFormed = typeof (cost ?? 0) === 'object' && Array.isArray(citations) && citations.every(isCitation);
  const count = isWellFormed ? citations.length : 0;
  const isWhole = (given: string) => (isJson ? parseVendorJson(given) !== undefined : hasWords(given, count));
  const isAnswer = typeof text === 'string' && text.length <= MAX_ANSWER_LENGTH && isWhole(text);
  if (isAnswer && isWellFormed) return undefined;
  return new UpstreamError('upstream_invalid_response', {
    phase: 'shape',
    cost: cost?.reported,
    usage: cost?.usage,
    detail: isAnswer ? 'malformed outcome' : isJson ? 'the answer is no JSON' : 'empty answer, or one that is too long',
  });
}

/** Drops citations outside the domains that the caller asked for: a provider's own filter may be missing or imprecise. */
function withinDomains(
  { events, clock }: AttemptDeps,
  { permit: { candidate }, request, trace: { requestId } }: AttemptInput,
  outcome: AnswerOutcome,
): AnswerOutcome | UpstreamError {
  const mayCite = request.search && askedDomains(request.search);
  if (mayCite === undefined) return outcome;
  const within = onlyCitations(outcome, ({ url }) => mayCite(url));
  const kept = within.citations.length;
  const dropped = outcome.citations.length - kept;
  if (dropped === 0) return outcome;
  const { provider, model } = candidate;
  const atMs = clock.now();
  events.emit({ type: 'citations_dropped', atMs, requestId, provider, model: model.slug, dropped, kept });
  if (kept > 0) return within;
  const reason = 'no_answer_found';
  const loss = lossOf(candidate, { cost: outcome.cost, isSold: true, reason, atMs, units: undefined });
  return new UpstreamError(reason, {
    phase: 'shape',
    status: 200,
    cost: loss?.cost,
    detail: 'no citation within the asked domains',
  });
}

function isCitation(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { url, title, snippet } = value as Partial<Record<string, unknown>>;
  return typeof url === 'string' && typeof (title ?? '') === 'string' && typeof (snippet ?? '') === 'string';
}

/** An error from the copy of this package in the other module format has the brand, but is no instance of this copy's class. */
function asOwn(error: UpstreamError): UpstreamError {
  return error instanceof UpstreamError ? error : new UpstreamError((error as UpstreamError).reason, error);
}

/** Any other exception is a bug of the adapter. The attempt counts as failed with an unusable reply. */
function adapterBug(logger: Logger, { provider, model }: CallableModel, error: unknown): UpstreamError {
  logger.error({ error, provider, model: model.slug }, 'a provider adapter threw');
  return new UpstreamError('upstream_invalid_response', { phase: 'shape', detail: ADAPTER_BUG, cause: error });
}

const ADAPTER_BUG = 'the adapter threw';

interface Ended {
  readonly result: ServedOutcome | UpstreamError;
  /** The number of the attempt in the call, from 1. */
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly durationMs: number;
  readonly span: TracedAttempt | undefined;
}

interface Finished extends Ended, Pick<AttemptFinished, 'outcome'> {
  readonly cost: NanoUsd | null;
}

function emitFinished({ events, clock }: AttemptDeps, { permit, trace }: AttemptInput, finished: Finished): void {
  const { candidate } = permit;
  const { result, attempt, outcome, durationMs, cost, span } = finished;
  const failure = result instanceof UpstreamError ? result : null;
  const usage = result instanceof UpstreamError ? result.usage : result.cost.usage;
  const event: AttemptFinished = {
    type: 'attempt_finished',
    atMs: clock.now(),
    requestId: trace.requestId,
    attempt,
    provider: candidate.provider,
    model: candidate.model.slug,
    outcome,
    phase: failure?.phase ?? null,
    upstreamStatus: failure?.status ?? null,
    upstreamRequestId:
      result instanceof UpstreamError ? null : boundText(result.upstreamRequestId, MAX_ID_CHARACTERS) || null,
    durationMs,
    cost,
    inputTokens: tokenCount(usage?.inputTokens),
    outputTokens: tokenCount(usage?.outputTokens),
    detail: failure?.detail ?? '',
  };
  events.emit(event);
  span?.end(event);
}
