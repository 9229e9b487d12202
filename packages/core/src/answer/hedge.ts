import type { Deadlines } from '../base/time/deadline.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { HedgeBudget } from '../routing/hedge-budget.js';
import type { Hedge } from '../routing/hedges.js';
import type { Latencies } from '../routing/latencies.js';
import { type AcquireDeps, type AttemptPermit, acquireNow } from './acquire-attempt.js';
import type { AnswerRequest } from './answer.js';
import type { Attempt, AttemptInput, AttemptResult } from './attempt.js';
import { Race } from './race.js';

export interface HedgeDeps extends AcquireDeps {
  readonly attempt: Attempt;
  readonly deadlines: Pick<Deadlines, 'start' | 'areOver'>;
  readonly latencies: Pick<Latencies, 'percentile95Ms'>;
  readonly hedgeBudget: HedgeBudget;
  readonly maxAttempts: number;
}

export interface HedgedInput extends AttemptInput {
  readonly request: AnswerRequest;
}

/** A candidate that was asked. */
export interface Attempted {
  readonly candidate: CallableModel;
  readonly result: AttemptResult;
}

/**
 * Makes an attempt. Where it is slow to bring content, the hedge's second model is asked too; the first content wins, and the other attempt is ended. Where
 * the first attempt fails by then, the second one is simply the next attempt.
 */
export async function attemptWithHedge(
  deps: HedgeDeps,
  input: HedgedInput,
  hedge: Hedge,
): Promise<readonly Attempted[]> {
  const afterMs = delayOf(deps, hedge);
  if (afterMs === undefined) return [{ candidate: hedge.first, result: await deps.attempt(input) }];
  return race(deps, input, { hedge, afterMs });
}

/** Counts the call. @returns `undefined` where not enough is known of how long the model takes. */
function delayOf({ latencies, hedgeBudget }: HedgeDeps, { first, afterMs }: Hedge): number | undefined {
  const { slug } = first.model;
  hedgeBudget.began(slug);
  return afterMs === 'p95' ? latencies.percentile95Ms(slug) : afterMs;
}

async function race(
  deps: HedgeDeps,
  input: HedgedInput,
  { hedge, afterMs }: { readonly hedge: Hedge; readonly afterMs: number },
): Promise<readonly Attempted[]> {
  const contest = new Race();
  const begun: Promise<AttemptResult>[] = [];
  const timer = deps.deadlines.start(afterMs);
  timer.onPass(() => {
    const permit = admitSecond(deps, input, hedge);
    if (permit !== null) begun.push(deps.attempt({ ...input, permit, race: contest }));
  });
  const first = { candidate: hedge.first, result: await deps.attempt({ ...input, race: contest }) };
  timer.clear();
  const [second] = begun;
  return second === undefined ? [first] : [first, { candidate: hedge.second, result: await second }];
}

/** Asks whether the second model may be asked now. */
function admitSecond(deps: HedgeDeps, input: HedgedInput, { first, second }: Hedge): AttemptPermit | null {
  const { request, trace, live, endsAtMs } = input;
  const { slug } = first.model;
  if (live?.hasStarted === true || request.isDisconnected() || deps.deadlines.areOver()) return null;
  if (trace.attempts >= deps.maxAttempts || !deps.hedgeBudget.hasRoom(slug)) return null;
  const permit = acquireNow(deps, { candidates: [second], request, trace, endsAtMs });
  if (permit !== null) deps.hedgeBudget.hedged(slug);
  return permit;
}
