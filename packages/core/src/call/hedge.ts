import type { Clock } from '../base/time/clock.js';
import type { Deadlines } from '../base/time/deadline.js';
import { type CallableModel, modelAt } from '../catalog/catalog.js';
import type { HedgeBudget } from '../routing/hedge-budget.js';
import type { Hedge } from '../routing/hedges.js';
import type { Latencies } from '../routing/latencies.js';
import type { AnswerRequest } from './answer.js';
import type { Attempt, AttemptResult } from './attempt.js';
import type { AttemptInput } from './attempt-context.js';
import type { ProviderPermit, ProviderPermits } from './provider-permits.js';
import { Race } from './race.js';

export interface HedgeDeps {
  readonly permits: ProviderPermits;
  readonly clock: Clock;
  readonly attempt: Attempt;
  readonly deadlines: Pick<Deadlines, 'start' | 'areOver'>;
  readonly latencies: Pick<Latencies, 'percentile95Ms'>;
  readonly hedgeBudget: HedgeBudget;
  readonly maxAttempts: number;
}

export interface HedgedInput extends AttemptInput {
  readonly request: AnswerRequest;
}

/** A tried candidate with its result. */
export interface Attempted {
  readonly candidate: CallableModel;
  readonly result: AttemptResult;
}

/**
 * Makes an attempt. If it delivers no content within the hedge's delay, the second model is asked too: the first content wins, and the other attempt is
 * stopped. If the first attempt ends before the delay, the second model is not asked here.
 */
export async function attemptWithHedge(
  deps: HedgeDeps,
  input: HedgedInput,
  hedge: Hedge,
): Promise<readonly [Attempted, ...Attempted[]]> {
  const afterMs = delayOf(deps, hedge);
  if (afterMs === undefined) return [{ candidate: hedge.first, result: await deps.attempt(input) }];
  return race(deps, input, { hedge, afterMs });
}

/** Counts the call for the hedge budget. @returns `undefined` when too few latencies of the model are known. */
function delayOf({ latencies, hedgeBudget }: HedgeDeps, { first, afterMs }: Hedge): number | undefined {
  const model = modelAt(first);
  hedgeBudget.began(model);
  return afterMs === 'p95' ? latencies.percentile95Ms(model) : afterMs;
}

async function race(
  deps: HedgeDeps,
  input: HedgedInput,
  { hedge, afterMs }: { readonly hedge: Hedge; readonly afterMs: number },
): Promise<readonly [Attempted, ...Attempted[]]> {
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

/** Acquires the second model. @returns `null` when it may not be asked now. */
function admitSecond(deps: HedgeDeps, input: HedgedInput, { first, second }: Hedge): ProviderPermit | null {
  const { request, context, live, endsAtMs } = input;
  const model = modelAt(first);
  if (live?.hasStarted === true || request.isDisconnected() || deps.deadlines.areOver()) return null;
  if (context.attempts >= deps.maxAttempts || !deps.hedgeBudget.hasRoom(model)) return null;
  const permit = deps.permits.acquireNow({ candidates: [second], request, context, endsAtMs });
  if (permit !== null) deps.hedgeBudget.hedged(model);
  return permit;
}
