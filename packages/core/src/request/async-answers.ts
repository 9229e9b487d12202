import { createHash } from 'node:crypto';
import type { Reason } from '../base/errors/reasons.js';
import { isRequestError, RequestError } from '../base/errors/request-error.js';
import { isLedgerId } from '../base/options/check-argument.js';
import { rulesOf } from '../base/search-options/page-scope.js';
import { retry } from '../base/time/retry.js';
import type { AnswerPlan, AsyncAnswerWriter, PresentedAnswer } from '../call/answer.js';
import type { IdempotencyRecords } from '../call/idempotency-records.js';
import type { SettlerDeps } from '../call/settler.js';
import type { Claim, StoredResponse } from '../ledger/idempotency-store.js';
import type { Charge, HoldRecord, Ledger } from '../ledger/ledger.js';
import type { InFlightRequests } from '../limits/in-flight-requests.js';
import { replyText } from './answer-reply.js';
import type { AuthenticatedCall, LifecycleDeps } from './handle-request-lifecycle.js';
import { MAX_KEPT_LENGTH, restoredError, type StoredError, storedError } from './idempotency.js';
import { readTotals } from './read-totals.js';

/*
 * An answer is kept in the idempotency store BEFORE its charge is written, and the ledger decides: what it has charged can be fetched, what it has released
 * is an error. Whoever finds a kept answer without a charge writes the charge, and whoever finds an expired hold without an answer releases it.
 * Both endings are final, so a process that was killed, or comes late, changes nothing.
 */

export interface AsyncAnswersDeps extends Pick<LifecycleDeps, 'clock' | 'newId' | 'events' | 'logger'> {
  readonly ledger: Pick<Ledger, 'findHold' | 'settle' | 'release'>;
  readonly claims: IdempotencyRecords;
  readonly admission: Pick<InFlightRequests, 'isStopped'>;
  /** As that of the settler, for charges that a look-up writes. */
  readonly charged: SettlerDeps['charged'];
}

type Caller = AuthenticatedCall['apiKey'];

/** Answers whose callers come back for them. */
export type AsyncAnswers = ReturnType<typeof createAsyncAnswers>;

/** One call, from its claim to its end. */
export interface AsyncCall extends AsyncAnswerWriter {
  /** Claims the answer's name and holds the money. @returns the body of the 202. @throws RequestError of a refused call. */
  start(plan: AnswerPlan, run: () => Promise<unknown>): Promise<string>;
  /** Lets an accepted call ask its providers. Resolves at its end. @throws RequestError of a call that failed. */
  waitForEnd(): Promise<void>;
  isDisconnected(): boolean;
  cancel(): void;
}

/** What became of an answer. */
export interface FoundAnswer {
  readonly hold: HoldRecord;
  /** The answer as JSON; `null` unless charged and kept. */
  readonly answer: string | null;
  /** Why nothing was charged; `null` unless the call has failed. */
  readonly failure: (Pick<StoredError, 'requestId'> & { readonly error: RequestError }) | null;
}

/** Claimed by its call, or erased. */
const NOT_KEPT: ReadonlySet<Reason> = new Set<Reason>(['idempotency_in_progress', 'idempotency_key_reused']);
/** Ids of such answers begin with it. */
const PREFIX = 'async_';
/** Callers' keys cannot have this id. */
const OWNER = 'searchgate:answers';
/** How long a look-up claims a name that it finds free. */
const READ_MS = 1_000;
const CANCEL_POLL_MS = 5_000;
/** No other process keeps the answer, so retries need no jitter. */
const KEEPING = { backoff: { firstDelayMs: 500, factor: 2, longestDelayMs: 2_000 }, random: () => 1 };
/** Two endings can follow a look: that of this look-up, and one that came first. */
const MAX_LOOKS = 3;
const MAX_REMEMBERED = 10_000;
const CANCELED: StoredResponse = { status: 499, body: '' };

export function createAsyncAnswers(deps: AsyncAnswersDeps) {
  const { ledger, claims, clock, newId, logger, events } = deps;
  /** The calls of this process. */
  const running = new Map<string, AsyncCall>();
  /** Answers that this process reports by itself. */
  const own = new Set<string>();
  /** Answers whose charge a look-up has written, or has not: the ledger did not tell. */
  const unsure = new Set<string>();

  /** What the store keeps of an answer; `null` for nothing yet, or nothing any more. */
  async function read(id: string, { context }: AuthenticatedCall, hold: HoldRecord): Promise<Kept | null> {
    const nowMs = clock.now();
    const claim = claimOf(id, hold, `claim_${newId(nowMs)}`);
    try {
      const stored = await claims.take({ ...claim, nowMs, expiresAtMs: nowMs + READ_MS });
      if (stored !== null) return readKept(stored);
      await claims.free(claim, context.requestId);
    } catch (error) {
      if (!isRequestError(error) || !NOT_KEPT.has(error.reason)) throw error;
    }
    return null;
  }

  /** Ends a hold whose process has not. @returns whether the hold may have changed. */
  async function endHold({ holdId, status }: HoldRecord, kept: Kept | null, payer: Caller): Promise<boolean> {
    if (status === 'settled' && kept !== null && unsure.delete(holdId)) report(holdId, kept, payer);
    if (status === 'settled' || status === 'released') return false;
    if (kept?.charge !== undefined) {
      const { first } = await ledger.settle(holdId, kept.charge).catch((error: unknown) => {
        remember(unsure, holdId);
        throw error;
      });
      if (first) unsure.delete(holdId);
      if (first) report(holdId, kept, payer);
      deps.charged(payer);
    } else if (kept === null && status === 'expired') await ledger.release(holdId, { reason: 'answer_lost' });
    else return false;
    return true;
  }

  /** Reports a call in place of its process. */
  function report(answerId: string, kept: Kept, payer: Caller): void {
    const event = requestOf(answerId, kept, payer);
    if (event === undefined || own.has(answerId)) return;
    const { requestId, keyId, organizationId, cost, reason } = event;
    const atMs = clock.now();
    events.emit({ ...event, atMs });
    events.emit({ type: 'answer_finished', atMs, requestId, answerId, keyId, organizationId, cost, reason });
  }

  async function look(id: string, state: AuthenticatedCall): Promise<FoundAnswer> {
    const { id: keyId, organizationId } = state.apiKey;
    for (let looks = 1; ; looks += 1) {
      const hold = isLedgerId(id) ? await ledger.findHold(id) : undefined;
      if (hold?.keyId !== keyId || hold.organizationId !== organizationId) throw new RequestError('answer_not_found');
      if (!id.startsWith(PREFIX)) return { hold, answer: null, failure: null };
      const kept = await read(id, state, hold);
      const isChanged = await endHold(hold, kept, state.apiKey);
      if (!isChanged || looks === MAX_LOOKS) return foundIn(hold, kept, state.apiKey);
    }
  }

  const find = (id: string, state: AuthenticatedCall) => readTotals(look(id, state), logger);

  return {
    /** Prepares a call. @param isGone whether its caller has gone away, which counts until the 202. */
    open: (state: AuthenticatedCall, isGone: () => boolean) => openCall({ ...deps, running, own }, state, isGone),
    /** Looks up an answer of the calling key. @throws RequestError `answer_not_found`, `ledger_unavailable`. */
    find,
    /** Lets no further attempt of an answer begin, in whichever process it runs. @throws RequestError as `find`. */
    async cancel(id: string, state: AuthenticatedCall): Promise<FoundAnswer> {
      const found = await find(id, state);
      if (!id.startsWith(PREFIX)) throw new RequestError('answer_not_found');
      const claim = claimOf(`cancel ${id}`, found.hold, `cancel_${id}`);
      if (running.has(id)) running.get(id)?.cancel();
      else if (found.hold.status === 'open') await readTotals(claims.keep(claim, CANCELED), logger);
      return found;
    },
  };
}

/** @throws RequestError `answer_not_found` for an answer that was made under other domain rules. */
function foundIn(hold: HoldRecord, kept: Kept | null, { domains }: Caller): FoundAnswer {
  const { status, holdId } = hold;
  if (kept?.answer !== undefined && kept.domains !== rulesOf(domains)?.name)
    throw new RequestError('answer_not_found', { note: 'The domain rules of the key have changed since.' });
  if (status === 'open') return { hold, answer: null, failure: null };
  if (status === 'settled') return { hold, answer: kept?.answer ?? null, failure: null };
  const { error = new RequestError('answer_lost'), requestId = holdId } = kept ?? {};
  return { hold, answer: null, failure: { error, requestId } };
}

/** What the process of a call would have reported, as far as it is kept. */
function requestOf(answerId: string, { charge, call }: Kept, { id: keyId, organizationId }: Caller) {
  if (charge === undefined || call === undefined) return undefined;
  const { model, provider, cost, costSource, upstreamCost = null, tenantCost, losses = [] } = charge;
  return {
    ...call,
    type: 'request_finished',
    clientRequestId: null,
    answerId,
    endpoint: 'answer',
    status: 202,
    reason: null,
    replayed: false,
    keyId,
    organizationId,
    model,
    provider,
    cost,
    upstreamCost,
    tenantCost,
    byok: tenantCost === undefined ? undefined : true,
    loss: losses.reduce((sum, { cost: lost }) => sum + lost, 0n),
    cache: costSource === 'cached' ? 'hit' : null,
    joined: costSource === 'shared',
    attempts: losses.length + 1,
    durationMs: 0,
    firstContentMs: null,
    upstreamMs: 0,
  } as const;
}

/** Ids, of which the oldest are forgotten. */
function remember(ids: Set<string>, id: string): void {
  const [oldest = ''] = ids;
  if (ids.add(id).size > MAX_REMEMBERED) ids.delete(oldest);
}

type CallDeps = AsyncAnswersDeps & { readonly running: Map<string, AsyncCall>; readonly own: Set<string> };

function openCall(deps: CallDeps, state: AuthenticatedCall, isGone: () => boolean): AsyncCall {
  const { claims, clock, newId, events, running, own } = deps;
  const { context, apiKey } = state;
  const { requestId } = context;
  const id = `${PREFIX}${newId(clock.now())}`;
  const claim = claimOf(id, apiKey, `claim_${newId(clock.now())}`);
  const cancelClaim = claimOf(`cancel ${id}`, apiKey, claim.claimId);
  let [isAccepted, isCanceled, expiresAtMs] = [false, false, 0];
  let [accept, start, stopPolling] = [(_body: string): void => undefined, NOTHING, NOTHING];
  let run: Promise<unknown> = Promise.resolve();
  const accepted = new Promise<string>((resolve) => (accept = resolve));
  const started = new Promise<void>((resolve) => (start = resolve));

  /** Asks the store now and then whether another process was told to cancel the call. */
  async function poll(): Promise<void> {
    const canceled = await claims.take({ ...cancelClaim, nowMs: clock.now(), expiresAtMs }).catch(() => null);
    isCanceled ||= canceled !== null;
    if (!isCanceled && running.has(id)) stopPolling = clock.schedule(CANCEL_POLL_MS, () => void poll(), 'background');
  }

  const self: AsyncCall = {
    id,
    isDisconnected: () => (isAccepted ? isCanceled : isGone()),
    cancel: () => void (isCanceled = true),
    async start(plan, ask) {
      expiresAtMs = plan.expiresAtMs;
      await claims.take({ ...claim, nowMs: clock.now(), expiresAtMs });
      run = ask();
      try {
        return await Promise.race([accepted, run as Promise<never>]);
      } catch (error) {
        await claims.free(claim, requestId);
        throw error;
      }
    },
    begun() {
      isAccepted = true;
      accept(JSON.stringify({ id }));
      return started;
    },
    async waitForEnd() {
      running.set(id, self);
      remember(own, id);
      stopPolling = clock.schedule(CANCEL_POLL_MS, () => void poll(), 'background');
      start();
      const reason = await run.then(() => null, reasonOf);
      running.delete(id);
      stopPolling();
      void claims.free(cancelClaim, requestId);
      const about = { requestId, answerId: id, keyId: apiKey.id, organizationId: apiKey.organizationId };
      events.emit({ type: 'answer_finished', atMs: clock.now(), ...about, cost: context.cost, reason });
      await run;
    },
    keep: async (result, charge) => keepAnswer(deps, { claim, expiresAtMs }, writeKept(result, charge, state)),
    fail: async (error) => claims.complete(claim, storedError(error, requestId), requestId),
  };
  return self;
}

const NOTHING = (): void => undefined;
const reasonOf = (error: unknown) => (isRequestError(error) ? error.reason : 'internal_error');

/** Tries until the answer is kept, the hold has expired or the gateway closes. */
async function keepAnswer(
  { claims, clock, admission, logger }: AsyncAnswersDeps,
  { claim, expiresAtMs }: { readonly claim: Claim; readonly expiresAtMs: number },
  body: string,
): Promise<void> {
  const isTransient = (error: unknown) => !isRequestError(error) && !admission.isStopped;
  const giveUpAfterMs = expiresAtMs - clock.now();
  try {
    await retry(() => claims.keep(claim, { status: 200, body }), { ...KEEPING, isTransient, giveUpAfterMs, clock });
  } catch (error) {
    if (isRequestError(error)) throw error;
    logger.error({ error, holdId: claim.idempotencyKey }, 'the idempotency store could not keep an answer');
    throw new RequestError('ledger_unavailable', { cause: error });
  }
}

function claimOf(name: string, { organizationId }: { readonly organizationId: string }, claimId: string): Claim {
  const fingerprint = createHash('sha256').update(name).digest('hex');
  return { keyId: OWNER, organizationId, idempotencyKey: name, claimId, fingerprint };
}

/** What the store keeps: an answer with its charge, or an error. */
interface Kept extends Partial<NonNullable<FoundAnswer['failure']>> {
  readonly charge?: Charge;
  readonly call?: KeptCall;
  readonly answer?: string;
  /** Names the rules that the answer is within. */
  readonly domains?: string | undefined;
}

/** What tells of a call once its process is gone. */
interface KeptCall
  extends Pick<AuthenticatedCall, 'requestedModel'>,
    Pick<AuthenticatedCall['context'], 'requestId' | 'tag'> {
  readonly budgets?: readonly string[] | undefined;
}

/** The charge with its call, and the answer, in one line each. @throws RequestError `answer_too_large`. */
function writeKept(
  result: PresentedAnswer,
  charge: Charge,
  { requestedModel, context, apiKey }: AuthenticatedCall,
): string {
  const answer = replyText(result);
  if (answer.length > MAX_KEPT_LENGTH) throw new RequestError('answer_too_large');
  const budgets = apiKey.budgets?.map(({ id }) => id);
  const call: KeptCall = { requestId: context.requestId, tag: context.tag, requestedModel, budgets };
  const domains = rulesOf(apiKey.domains)?.name;
  const head = JSON.stringify({ call, charge, domains }, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return `${head}\n${answer}`;
}

function readKept({ status, body }: StoredResponse): Kept {
  if (status !== 200) {
    const stored = JSON.parse(body) as StoredError;
    return { error: restoredError(stored), requestId: stored.requestId };
  }
  const end = body.indexOf('\n');
  const head = JSON.parse(body.slice(0, end), (name, value: unknown) =>
    name === 'cost' || name === 'upstreamCost' || name === 'tenantCost' ? BigInt(value as string) : value,
  ) as Pick<Kept, 'call' | 'charge' | 'domains'>;
  return { ...head, answer: body.slice(end + 1) };
}
