import { isUpstreamError, UpstreamError } from '../base/errors/upstream-error.js';
import type { Logger } from '../base/events/logger.js';
import type { AttemptFinished } from '../base/events/provider-events.js';
import type { TracedAttempt } from '../base/events/tracing.js';
import type { NanoUsd } from '../base/money.js';
import { resolvedSearch } from '../base/search-options/asked-search.js';
import type { Deadline } from '../base/time/deadline.js';
import { type CallableModel, modelAt } from '../catalog/catalog.js';
import { tokenCount } from '../catalog/units.js';
import type { ProviderAnswer } from '../kinds/kind-call.js';
import { lossOf, mayBeBilled } from '../kinds/sold-units.js';
import type { Loss } from '../ledger/ledger.js';
import { boundText } from '../text/page-fields.js';
import { MAX_ID_CHARACTERS } from '../text/reply-limits.js';
import { AskedParts, type PaidReply } from './asked-parts.js';
import {
  type AttemptDeps,
  type AttemptInput,
  evidenceOf,
  lossOfFailure,
  OwnContext,
  openStream,
  type WayOfAttempt,
} from './attempt-context.js';

export type AttemptResult = { readonly losses: readonly Loss[] } & (
  | {
      readonly status: 'answered';
      readonly outcome: ProviderAnswer;
      readonly bought?: readonly PaidReply[] | undefined;
    }
  | { readonly status: 'failed'; readonly error: UpstreamError }
  /** Another attempt of the call delivered content first. */
  | { readonly status: 'hedged' }
);

/** Makes one attempt at one candidate. Never rejects, and resolves within the model's timeout and the time the call has left. */
export type Attempt = (input: AttemptInput) => Promise<AttemptResult>;

/** Builds the only function that calls providers. It limits each attempt's time, and reports its outcome to the circuit breaker and as an event. */
export function createAttempt(deps: AttemptDeps): Attempt {
  return async (input) => {
    const { permit, context, race } = input;
    const { candidate } = permit;
    const begun = deps.underWay.begin(candidate.model.slug);
    const { startMs } = begun;
    const timeoutMs = Math.min(candidate.timeoutMs, input.endsAtMs - startMs);
    const { requestId } = context;
    const attempt = (context.attempts += 1);
    context.byok = candidate.own !== undefined;
    const { category, provider, model } = candidate;
    const span = context.span?.startAttempt({ requestId, attempt, provider, model: model.slug, category });
    const deadline = deps.deadlines.start(Math.max(0, timeoutMs));
    race?.join(candidate, () => deadline.pass());
    input.within?.deadline.onPass(() => deadline.pass());
    const parts = input.askPart && candidate.parts && new AskedParts(candidate.parts, input.askPart);
    const endsAtMs = startMs + timeoutMs;
    const way: WayOfAttempt = { deadline, endsAtMs, live: openStream(input), key: undefined, losses: null, parts };
    let result: ProviderAnswer | UpstreamError;
    try {
      const asked = span === undefined ? askProvider(deps, input, way) : span.run(() => askProvider(deps, input, way));
      result = await orTimeout(deadline, asked);
    } catch (error) {
      result = isUpstreamError(error) ? adoptError(error) : adapterBug(deps.logger, candidate, error);
    }
    way.live?.end();
    if (parts !== undefined) await parts.end(deadline);
    deadline.clear();
    permit.free();
    deps.underWay.end(begun);
    const durationMs = deps.clock.monotonic() - startMs;
    const isLost =
      race !== undefined && (result instanceof UpstreamError ? race.isLostBy(candidate) : !race.claim(candidate));
    const ended = { result, attempt, timeoutMs, durationMs, span, key: way.key, parts };
    const done = isLost ? endLost(deps, input, ended) : end(deps, input, ended);
    const losses = lossesOf(candidate, way, done);
    // Most attempts have none: no copy is made.
    const known = losses === done.losses ? done : { ...done, losses };
    return parts === undefined ? known : withParts(known, parts, deps.clock.now());
  };
}

/** The vendor bills the organization for calls with its own key: whatever an attempt costs is no loss of the operator. */
function lossesOf({ own }: CallableModel, way: WayOfAttempt, { losses }: AttemptResult): readonly Loss[] {
  if (own !== undefined) return NO_LOSSES;
  return way.losses === null ? losses : [...way.losses, ...losses];
}

/** What was bought is in the caller's charge, or lost with the attempt. */
function withParts(result: AttemptResult, parts: AskedParts, atMs: number): AttemptResult {
  if (result.status === 'answered')
    return { ...result, bought: parts.bought, losses: [...parts.losses, ...result.losses] };
  const reason = result.status === 'failed' ? result.error.reason : 'hedged';
  return { ...result, losses: [...parts.lossesFor(reason, atMs), ...result.losses] };
}

function askProvider(deps: AttemptDeps, input: AttemptInput, way: WayOfAttempt): Promise<ProviderAnswer> {
  const { permit, request } = input;
  const { model, facts, provider: id } = permit.candidate;
  const provider = deps.providers.get(id);
  if (provider === undefined) throw new Error(`no provider ${id}`);
  const { call, scope } = request;
  const search = request.search && resolvedSearch(request.search, deps.clock.now());
  return call.ask(provider, { model, facts, search, scope }, new OwnContext(deps, input, way));
}

function end(deps: AttemptDeps, input: AttemptInput, ended: Ended): AttemptResult {
  const { permit } = input;
  const { candidate } = permit;
  const { result, durationMs } = ended;
  if (result instanceof UpstreamError) {
    const isOfPart = ended.parts?.hasFailedWith(result) === true;
    if (isOfPart || wasCutShort(input, ended, result)) permit.abandoned();
    else permit.failed(evidenceOf(input, result));
    if (usedItsDeadline(candidate, ended, result)) deps.latencies.record(modelAt(candidate), durationMs);
    // The provider bills a part that was delivered, though the caller does not pay for it.
    const isSold = input.live?.hasStarted === true || mayBeBilled(result);
    const loss = isOfPart ? null : lossOfFailure(deps, input, { error: result, isSold });
    emitFinished(deps, input, { ended, outcome: result.reason, cost: loss?.cost ?? null });
    return { status: 'failed', error: result, losses: loss === null ? [] : [loss] };
  }
  permit.succeeded();
  deps.latencies.record(modelAt(candidate), durationMs);
  emitFinished(deps, input, { ended, outcome: 'answered', cost: result.cost.reported ?? null });
  return { status: 'answered', outcome: result, losses: lossesOfParts(candidate, result) };
}

/** A lost attempt was stopped or came second: it says nothing about the provider's health or latency. Its cost is the operator's loss. */
function endLost(deps: AttemptDeps, input: AttemptInput, ended: Ended): AttemptResult {
  const { result, parts } = ended;
  const { candidate } = input.permit;
  input.permit.abandoned();
  const loss = parts?.hasFailedWith(result)
    ? null
    : result instanceof UpstreamError
      ? lossOfFailure(deps, input, { error: result, isSold: mayBeBilled(result) })
      : lossOfAnswer(deps, input, result);
  emitFinished(deps, input, { ended, outcome: 'hedged', cost: loss?.cost ?? null });
  const losses = [...(loss === null ? [] : [loss]), ...lossesOfParts(candidate, result)];
  return { status: 'hedged', losses: losses.map((each) => ({ ...each, reason: 'hedged' })) };
}

function lossOfAnswer(deps: AttemptDeps, { permit, request }: AttemptInput, { cost, value }: ProviderAnswer) {
  const { candidate } = permit;
  const units = request.call.billedUnits(value, candidate.model);
  return lossOf(candidate, { cost, isSold: true, reason: 'hedged', atMs: deps.clock.now(), units });
}

function lossesOfParts({ model, provider }: CallableModel, result: ProviderAnswer | UpstreamError): readonly Loss[] {
  const losses = result instanceof UpstreamError ? undefined : result.losses;
  return losses?.map((loss) => ({ model: model.slug, provider, ...loss })) ?? NO_LOSSES;
}

const NO_LOSSES: readonly Loss[] = [];

/** A timeout counts as a latency only if the attempt had the model's full timeout, not just the rest of the call's time. */
function usedItsDeadline(candidate: CallableModel, { timeoutMs }: Ended, { reason, phase }: UpstreamError): boolean {
  return reason === 'upstream_timeout' && phase !== 'connect' && timeoutMs >= candidate.timeoutMs;
}

/** The attempt had less time, because the call had waited for one of our slots, or is a part of another attempt: its timeout says nothing about the provider. */
function wasCutShort(
  { permit, context, within }: AttemptInput,
  { timeoutMs }: Ended,
  { reason }: UpstreamError,
): boolean {
  if (reason !== 'upstream_timeout') return false;
  const hadLess = context.waitedMs > 0 || within !== undefined;
  return within?.deadline.passed === true || (hadLess && timeoutMs < permit.candidate.timeoutMs);
}

/** Rejects when the deadline passes, even if the adapter ignores its signal. */
function orTimeout<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // Rejects one turn of the event loop later, so that an aborted upstream call can first report its phase.
    deadline.onPass(() => setImmediate(() => reject(new UpstreamError('upstream_timeout', { phase: 'body' }))));
    work.then(resolve, reject);
  });
}

/** An error from the copy of this package in the other module format has the brand, but is no instance of this copy's class. */
function adoptError(error: UpstreamError): UpstreamError {
  return error instanceof UpstreamError ? error : new UpstreamError((error as UpstreamError).reason, error);
}

/** Any other exception is a bug of the adapter. The attempt counts as failed with an unusable reply. */
function adapterBug(logger: Logger, { provider, model }: CallableModel, error: unknown): UpstreamError {
  logger.error({ error, provider, model: model.slug }, 'a provider adapter threw');
  return new UpstreamError('upstream_invalid_response', { phase: 'shape', detail: ADAPTER_BUG, cause: error });
}

const ADAPTER_BUG = 'the adapter threw';

interface Ended {
  readonly result: ProviderAnswer | UpstreamError;
  /** The number of the attempt in the call, from 1. */
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly durationMs: number;
  readonly span: TracedAttempt | undefined;
  /** The key that was used last, of a provider with several. */
  readonly key: string | undefined;
  readonly parts: AskedParts | undefined;
}

/** Not for an upstream that repeats the key of the organization. */
function requestIdOf({ upstreamRequestId }: ProviderAnswer, { own }: CallableModel): string | null {
  const id = boundText(upstreamRequestId, MAX_ID_CHARACTERS);
  return id === '' || (own !== undefined && id.includes(own.reveal())) ? null : id;
}

const CODE = /^[A-Z][A-Z\d_]{1,63}$/;

/** Node and undici name what failed by such codes. */
function codeOf({ cause }: UpstreamError): string | null {
  const { code }: { readonly code?: unknown } = { ...(cause as object | undefined) };
  return typeof code === 'string' && CODE.test(code) ? code : null;
}

interface Finished extends Pick<AttemptFinished, 'outcome'> {
  readonly ended: Ended;
  readonly cost: NanoUsd | null;
}

function emitFinished(
  { events, clock }: AttemptDeps,
  { permit, context, within }: AttemptInput,
  finished: Finished,
): void {
  const { candidate } = permit;
  const { ended, outcome, cost } = finished;
  const { result, attempt, durationMs, span, key } = ended;
  const failure = result instanceof UpstreamError ? result : null;
  const usage = result instanceof UpstreamError ? result.usage : result.cost.usage;
  const event: AttemptFinished = {
    type: 'attempt_finished',
    atMs: clock.now(),
    requestId: context.requestId,
    attempt,
    provider: candidate.provider,
    model: candidate.model.slug,
    outcome,
    phase: failure?.phase ?? null,
    upstreamStatus: failure?.status ?? null,
    code: failure === null ? null : codeOf(failure),
    upstreamRequestId: result instanceof UpstreamError ? null : requestIdOf(result, candidate),
    durationMs,
    cost,
    inputTokens: tokenCount(usage?.inputTokens),
    outputTokens: tokenCount(usage?.outputTokens),
    detail: failure?.detail ?? '',
    key,
    byok: candidate.own === undefined ? undefined : true,
    part: within === undefined ? undefined : true,
  };
  events.emit(event);
  span?.end(event);
}
