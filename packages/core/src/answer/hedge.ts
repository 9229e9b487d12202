import type { Deadlines } from '../base/time/deadline.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { HedgeBudget } from '../routing/hedge-budget.js';
import type { Hedge } from '../routing/hedges.js';
import type { Latencies } from '../routing/latencies.js';
import { type AcquireDeps, type AttemptPermit, acquireNow } from './acquire-attempt.js';
import type { AnswerRequest, RequestContext } from './answer.js';
import type { Attempt, AttemptResult } from './attempt.js';
import type { LiveStream } from './live-stream.js';
import { Race } from './race.js';

export interface HedgeDeps extends AcquireDeps {
  readonly attempt: Attempt;
  readonly deadlines: Pick<Deadlines, 'start' | 'areOver'>;
  readonly latencies: Pick<Latencies, 'percentile95Ms'>;
  readonly shares: HedgeBudget;
  readonly maxAttempts: number;
}

export interface AttemptingInput {
  readonly permit: AttemptPermit;
  readonly request: AnswerRequest;
  readonly trace: RequestContext;
  readonly live: LiveStream | null;
  /** Of the call. By the monotonic clock. */
  readonly endsAtMs: number;
}

/** One attempt, or two side by side. */
export interface Attempted {
  readonly first: AttemptResult;
  /** `null` where no other model was asked. */
  readonly other: { readonly candidate: CallableModel; readonly result: AttemptResult } | null;
}

/** One attempt alone. */
export function attemptAlone(deps: HedgeDeps, input: AttemptingInput): Promise<AttemptResult> {
  return attempt(deps, input, { permit: input.permit });
}

/**
 * Makes an attempt. Where it is slow to bring content, the hedge's second model is asked too; the first content wins, and the other attempt is ended. Where
 * the first attempt fails by then, the second one is simply the next attempt.
 */
export async function attemptWithHedge(deps: HedgeDeps, input: AttemptingInput, hedge: Hedge): Promise<Attempted> {
  const afterMs = delayOf(deps, hedge);
  if (afterMs === undefined) return { first: await attemptAlone(deps, input), other: null };
  return race(deps, input, { hedge, afterMs });
}

/** Counts the call. @returns `undefined` where not enough is known of how long the model takes. */
function delayOf({ latencies, shares }: HedgeDeps, { first, afterMs }: Hedge): number | undefined {
  const { slug } = first.model;
  shares.began(slug);
  return afterMs === 'p95' ? latencies.percentile95Ms(slug) : afterMs;
}

async function race(
  deps: HedgeDeps,
  input: AttemptingInput,
  { hedge, afterMs }: { readonly hedge: Hedge; readonly afterMs: number },
): Promise<Attempted> {
  const contest = new Race();
  const { second: candidate } = hedge;
  const begun: Promise<AttemptResult>[] = [];
  const timer = deps.deadlines.start(afterMs);
  timer.onPass(() => {
    const permit = admitSecond(deps, input, hedge);
    if (permit !== null) begun.push(attempt(deps, input, { permit, race: contest }));
  });
  const first = await attempt(deps, input, { permit: input.permit, race: contest });
  timer.clear();
  const [second] = begun;
  return { first, other: second === undefined ? null : { candidate, result: await second } };
}

/** Asks whether the second model may be asked now. */
function admitSecond(deps: HedgeDeps, input: AttemptingInput, { first, second }: Hedge): AttemptPermit | null {
  const { request, trace, live, endsAtMs } = input;
  const { slug } = first.model;
  if (live?.hasStarted === true || request.isDisconnected() || deps.deadlines.areOver()) return null;
  if (trace.attempts >= deps.maxAttempts || !deps.shares.hasRoom(slug)) return null;
  const permit = acquireNow(deps, { candidates: [second], request, trace, endsAtMs });
  if (permit !== null) deps.shares.hedged(slug);
  return permit;
}

interface Begun {
  readonly permit: AttemptPermit;
  readonly race?: Race;
}

function attempt(deps: HedgeDeps, input: AttemptingInput, { permit, race: contest }: Begun): Promise<AttemptResult> {
  const { request, trace, live, endsAtMs } = input;
  const { candidate, entry, slot } = permit;
  const timeoutMs = Math.min(candidate.timeoutMs, endsAtMs - deps.clock.monotonic());
  // Written out: a spread of what was permit costs every attempt more than all the rest here.
  return deps.attempt({ candidate, entry, slot, timeoutMs, request, trace, live, race: contest });
}
