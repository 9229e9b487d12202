import type { EventStream, GatewayEvent, RequestFinished } from '../base/events/events.js';
import type { Logger } from '../base/events/logger.js';
import type { AttemptFinished } from '../base/events/provider-events.js';
import { wellFormed } from '../base/options/characters.js';
import type { Clock } from '../base/time/clock.js';
import { createTimeLimit } from '../base/time/deadline.js';
import type { AttemptRow, FailureCause, LoggedRequest, RequestLog } from '../ledger/request-log.js';
import { DAYS_KEPT_MS, HOURS_KEPT_MS, isFailed } from '../ledger/request-statistics.js';
import { recordTexts, type TextSource } from './record-texts.js';
import { createRequestWriter } from './request-writer.js';

export interface RecordRequestsDeps {
  readonly log: RequestLog;
  readonly events: Pick<EventStream, 'subscribe' | 'emit'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Longest wait for the log. */
  readonly timeoutMs: number;
  /** Called with the end of every batch: its error, or `null`. */
  wrote(error: Error | null): void;
  /** How long calls are kept, and how many. */
  readonly keepMs: number;
  readonly maxRows: number;
  /** Questions and answers, where any are kept. */
  readonly textSource?: TextSource | undefined;
  /** How long they are kept. Those of earlier are removed also where none are kept any more. */
  readonly keepTextsMs: number;
}

const PRUNE_EVERY_MS = 60_000;
/** Most parts that are removed at once: what is left goes the next time. */
const MAX_PRUNES = 400;
/** Most calls under way whose attempts are remembered: more than may be under way at once by default. */
const MAX_UNDER_WAY = 20_000;
/** Callers choose this text, of which only names of models are of use. */
const MAX_MODEL_LENGTH = 100;
/** Most attempts of a call that are kept. */
const MAX_ATTEMPTS = 20;

/** The endpoints that ask no models. */
const READ_ONLY: ReadonlySet<string> = new Set(['models', 'credits', 'key', 'usage', 'answers', 'openapi']);

/**
 * Writes calls of known keys into a log, in batches, off the path of calls: a slow or failing log never delays or fails a call. Rows that cannot be written wait
 * for their turn; the event `request_log_dropped` counts those that are lost.
 *
 * @returns a function that ends it: what waits is written, for at most `timeoutMs`; the rest is lost and counted.
 */
export function recordRequests(deps: RecordRequestsDeps): () => Promise<void> {
  const { log, events, clock, logger, keepMs, maxRows } = deps;
  const timeLimit = createTimeLimit(clock, deps.timeoutMs, {
    timedOut: () => new Error('the request log did not answer in time'),
  });
  const attempts = attemptsUnderWay();
  let isEnding = false;
  let prunedAtMs = Number.NEGATIVE_INFINITY;

  async function inParts(remove: () => Promise<number>): Promise<void> {
    for (let part = 0; part < MAX_PRUNES && !isEnding; part += 1) if ((await timeLimit.wait(remove())) === 0) break;
  }

  async function prune(): Promise<void> {
    if (clock.monotonic() - prunedAtMs < PRUNE_EVERY_MS) return;
    prunedAtMs = clock.monotonic();
    try {
      const nowMs = clock.now();
      const sumsBeforeMs = { hour: nowMs - HOURS_KEPT_MS, day: nowMs - DAYS_KEPT_MS };
      const limits = { beforeMs: nowMs - keepMs, maxRows, sumsBeforeMs };
      // First, as they have to go in time also where calls cannot be removed.
      await inParts(async () => log.texts?.prune(nowMs - deps.keepTextsMs) ?? 0);
      await inParts(() => log.prune(limits));
    } catch (error) {
      logger.warn({ error }, 'old requests could not be removed from the log');
    }
  }

  const writer = createRequestWriter<LoggedRequest>({
    append: (rows) => log.append(rows),
    clock,
    timeLimit,
    wrote(error) {
      deps.wrote(error);
      if (error !== null) logger.warn({ error }, 'requests could not be logged');
    },
    dropped(count) {
      logger.warn({ count }, 'requests were lost for the log');
      events.emit({ type: 'request_log_dropped', atMs: clock.now(), count });
    },
    idle: prune,
  });

  const { textSource: source } = deps;
  const texts =
    source && log.texts && recordTexts({ texts: log.texts, source, events, clock, logger, timeLimit, prune });
  const unsubscribe = events.subscribe((event: GatewayEvent) => {
    if (event.type === 'attempt_finished') attempts.add(event);
    if (event.type !== 'request_finished') return;
    const row = rowOf(event, attempts.take(event));
    if (row !== undefined) writer.add(row);
    texts?.ended(event.requestId, row);
  });
  return async () => {
    unsubscribe();
    isEnding = true;
    await Promise.all([writer.end(), texts?.end()]);
  };
}

/** The attempts of calls that have not ended. */
function attemptsUnderWay() {
  const attempts = new Map<string, UnderWay[]>();
  return {
    add(event: AttemptFinished): void {
      const { requestId, provider, model, outcome, cost, key, phase, upstreamStatus, code, part } = event;
      const known = attempts.get(requestId) ?? [];
      const durationMs = tenths(event.durationMs);
      const startMs = event.atMs - event.durationMs;
      const ended = { provider, model, outcome, startMs, durationMs, cost, phase, upstreamStatus, code };
      const row: UnderWay = part === undefined ? ended : { ...ended, part };
      if (known.length < MAX_ATTEMPTS) known.push(key === undefined ? row : { ...row, key });
      attempts.set(requestId, known);
      const [oldest] = attempts.keys();
      if (attempts.size > MAX_UNDER_WAY && oldest !== undefined) attempts.delete(oldest);
    },
    take({ requestId, atMs, durationMs }: RequestFinished): readonly AttemptRow[] {
      const known = attempts.get(requestId) ?? [];
      attempts.delete(requestId);
      // A clock that was set meanwhile must not put an attempt before its call.
      for (const row of known) row.startMs = tenths(Math.max(0, row.startMs - (atMs - durationMs)));
      return known;
    },
  };
}

/** Begun at a time of the clock, and from {@link attemptsUnderWay}'s `take` on, since the begin of the call. */
type UnderWay = AttemptRow & { startMs: number };

/** Attempts with what was charged for the parts that they gave, in place of what their providers reported. */
function withCharges(attempts: readonly AttemptRow[], parts: RequestFinished['parts']): readonly AttemptRow[] {
  if (parts === undefined) return attempts;
  const left = [...parts];
  return attempts.map((row) => {
    const isPaid = row.part === true && row.outcome === 'answered';
    const at = isPaid ? left.findIndex(({ model }) => model === row.model) : -1;
    const [paid] = at < 0 ? [] : left.splice(at, 1);
    return paid === undefined ? row : { ...row, cost: paid.cost };
  });
}

/** `undefined` for calls without a known key, and for those that ask no model. */
function rowOf(event: RequestFinished, attempts: readonly AttemptRow[]): LoggedRequest | undefined {
  const { keyId, organizationId, endpoint, requestedModel, firstContentMs } = event;
  if (keyId === null || organizationId === null || READ_ONLY.has(endpoint)) return undefined;
  return {
    requestId: event.requestId,
    answerId: event.answerId,
    // The clock of a host may have fractions.
    atMs: Math.floor(event.atMs),
    endpoint,
    keyId,
    organizationId,
    tag: event.tag,
    budgets: event.budgets ?? [],
    byok: event.byok === true,
    modelAsked: requestedModel === null ? null : wellFormed(requestedModel.slice(0, MAX_MODEL_LENGTH)),
    model: event.model,
    provider: event.provider ?? attempts.at(-1)?.provider ?? null,
    status: event.status,
    reason: event.reason,
    stream: firstContentMs !== null,
    cache: event.cache,
    cost: event.cost,
    upstreamCost: event.upstreamCost,
    loss: event.loss,
    durationMs: tenths(event.durationMs),
    upstreamMs: tenths(event.upstreamMs),
    firstPartMs: firstContentMs === null ? null : tenths(firstContentMs),
    cause: event.status < 400 ? null : causeOf(attempts),
    attempted: askedOf(attempts),
    attemptCount: attempts.length,
    rescued: event.status < 400 && attempts.some(({ outcome }) => isFailed(outcome)),
    attempts: withCharges(attempts, event.parts),
  };
}

/** In the order of asking: of a hedge, the second may end first. */
function askedOf(attempts: readonly AttemptRow[]): readonly string[] {
  const begun = attempts.toSorted((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0));
  return [...new Set(begun.map(({ provider }) => provider))];
}

/** Of the last attempt that failed. */
function causeOf(attempts: readonly AttemptRow[]): FailureCause | null {
  const failed = attempts.findLast(({ outcome }) => isFailed(outcome));
  if (failed === undefined) return null;
  const { provider, model, phase, upstreamStatus, code } = failed;
  return { provider, model, phase, upstreamStatus, code };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
