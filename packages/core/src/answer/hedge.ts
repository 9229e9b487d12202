import type { Deadlines } from '../base/time/deadline.js';
import type { RunnableModel } from '../catalog/catalog.js';
import type { HedgeShares } from '../routing/hedge-budget.js';
import type { Hedge } from '../routing/hedges.js';
import type { Latencies } from '../routing/latencies.js';
import { type AdmissionDeps, type Admitted, admitNow } from './acquire-attempt.js';
import type { AnswerRequest, RequestTrace } from './answer.js';
import type { Attempt, AttemptResult } from './attempt.js';
import type { LiveStream } from './live-stream.js';
import { Race } from './race.js';

export interface HedgeDeps extends AdmissionDeps {
  readonly attempt: Attempt;
  readonly deadlines: Pick<Deadlines, 'start' | 'areOver'>;
  readonly latencies: Pick<Latencies, 'percentile95Ms'>;
  readonly shares: HedgeShares;
  readonly maxAttempts: number;
}

export interface AttemptingInput {
  readonly admitted: Admitted;
  readonly request: AnswerRequest;
  readonly trace: RequestTrace;
  readonly live: LiveStream | null;
  /** Of the call. By the monotonic clock. */
  readonly endsAtMs: number;
}

/** One attempt, or two side by side. */
export interface Attempted {
  readonly first: AttemptResult;
  /** `null` where no other model was asked. */
  readonly other: { readonly candidate: RunnableModel; readonly result: AttemptResult } | null;
}

/** One attempt alone. */
export function attemptAlone(deps: HedgeDeps, input: AttemptingInput): Promise<AttemptResult> {
  return attempt(deps, input, { admitted: input.admitted });
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
    const admitted = admitSecond(deps, input, hedge);
    if (admitted !== null) begun.push(attempt(deps, input, { admitted, race: contest }));
  });
  const first = await attempt(deps, input, { admitted: input.admitted, race: contest });
  timer.clear();
  const [second] = begun;
  return { first, other: second === undefined ? null : { candidate, result: await second } };
}

/** Asks whether the second model may be asked now. */
function admitSecond(deps: HedgeDeps, input: AttemptingInput, { first, second }: Hedge): Admitted | null {
  const { request, trace, live, endsAtMs } = input;
  const { slug } = first.model;
  if (live?.hasStarted === true || request.isDisconnected() || deps.deadlines.areOver()) return null;
  if (trace.attempts >= deps.maxAttempts || !deps.shares.hasRoom(slug)) return null;
  const admitted = admitNow(deps, { candidates: [second], request, trace, endsAtMs });
  if (admitted !== null) deps.shares.hedged(slug);
  return admitted;
}

interface Begun {
  readonly admitted: Admitted;
  readonly race?: Race;
}

function attempt(deps: HedgeDeps, input: AttemptingInput, { admitted, race: contest }: Begun): Promise<AttemptResult> {
  const { request, trace, live, endsAtMs } = input;
  const { candidate, entry, place } = admitted;
  const timeoutMs = Math.min(candidate.timeoutMs, endsAtMs - deps.clock.monotonic());
  // Written out: a spread of what was admitted costs every attempt more than all the rest here.
  return deps.attempt({ candidate, entry, place, timeoutMs, request, trace, live, race: contest });
}
