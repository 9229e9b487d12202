import type { RequestFinished } from '../base/events/events.js';
import type { AttemptFinished } from '../base/events/provider-events.js';
import type { NanoUsd } from '../base/money.js';
import type { StatisticsQuery, StatisticsRows, SumStep } from './request-statistics.js';
import type { RequestTexts } from './request-texts.js';

/** A call of a model by a known key, as it ended: fields of the event `request_finished`, with times to a tenth. It has neither its question nor its answer. */
export interface RequestRow
  extends Pick<
    RequestFinished,
    | 'requestId'
    | 'answerId'
    | 'endpoint'
    | 'tag'
    | 'model'
    | 'status'
    | 'reason'
    | 'cache'
    | 'cost'
    | 'upstreamCost'
    | 'loss'
    | 'upstreamMs'
  > {
  /** The end of the call, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** The calling key. */
  readonly keyId: string;
  /** The organization that pays. */
  readonly organizationId: string;
  /** Ids of the budgets that the call counted in. Empty for none. */
  readonly budgets: readonly string[];
  /** Whether the key of the vendor was the organization's own. */
  readonly byok: boolean;
  /** As the caller named it. */
  readonly modelAsked: string | null;
  /** That served, else the last that was asked. */
  readonly provider: string | null;
  /** Whether the answer was sent as events. */
  readonly stream: boolean;
  /** To a tenth, as all times here. */
  readonly durationMs: number;
  /** Until the first part of a stream. */
  readonly firstPartMs: number | null;
  /** Of a failure: why the last attempt that failed did. `null` for a success, and where no provider was asked. */
  readonly cause: FailureCause | null;
  /** The ids of all providers that were asked, each once, in their order. */
  readonly attempted: readonly string[];
  /** How many attempts there were, at most as many as are kept. */
  readonly attemptCount: number;
  /** Whether it was answered although an attempt had failed: by a fallback, a hedge or a retry. */
  readonly rescued: boolean;
}

/** Why an attempt failed, in codes: never a text of the provider. */
export type FailureCause = Pick<AttemptFinished, 'provider' | 'model' | 'phase' | 'upstreamStatus' | 'code'>;

/** An attempt at a provider. For a part of an answer, `cost` is what was charged for it. */
export interface AttemptRow
  extends Pick<AttemptFinished, 'outcome' | 'durationMs' | 'cost' | 'key' | 'part'>,
    FailureCause {
  /** From the begin of the call to that of the attempt, in milliseconds to a tenth: hedges overlap. Absent in rows of older packages. */
  readonly startMs?: number | undefined;
}

/** A call with its attempts, in their order. */
export interface LoggedRequest extends RequestRow {
  /** Hedges included. */
  readonly attempts: readonly AttemptRow[];
}

/** Which calls. A call has to fit every field that is given. */
export interface RequestFilter {
  /** Ended at this time or later, in milliseconds since the Unix epoch. */
  readonly sinceMs?: number | undefined;
  /** Ended before. */
  readonly untilMs?: number | undefined;
  /** Of one of these organizations. */
  readonly organizations?: readonly string[] | undefined;
  /** Of this key. */
  readonly keyId?: string | undefined;
  /** That counted in this budget. */
  readonly budget?: string | undefined;
  /** That asked this provider, whoever served. */
  readonly attempted?: string | undefined;
  /** Whether they were answered although an attempt had failed. */
  readonly rescued?: boolean | undefined;
  /** That were charged as much or more. */
  readonly minCost?: NanoUsd | undefined;
  /** That took as long or longer, in milliseconds. */
  readonly minDurationMs?: number | undefined;
  /** With as many attempts or more. */
  readonly minAttempts?: number | undefined;
  /** With this slug as `model`. */
  readonly model?: string | undefined;
  /** With this id as `provider`. */
  readonly provider?: string | undefined;
  /** A status such as 402; of a hundred, such as 400 to 499, where it is 4 or 5. */
  readonly status?: number | undefined;
  /** That failed for this reason. */
  readonly reason?: string | undefined;
  /** With this label. */
  readonly tag?: string | undefined;
}

/** Which page. */
export interface RequestPageQuery {
  /** 1 to 1,000. */
  readonly limit: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
  /** Whether the rows have their attempts. Default: no. */
  readonly attempts?: boolean | undefined;
}

/** A call of a page. */
export interface FoundRequest extends RequestRow {
  /** Where the page was asked for them. */
  readonly attempts?: readonly AttemptRow[] | undefined;
}

/** A page of calls. */
export interface RequestPage {
  /** The newest first. */
  readonly rows: readonly FoundRequest[];
  /** `null` on the last page. A page may be short, or empty, although others follow. */
  readonly nextCursor: string | null;
}

/** What is kept. Times in milliseconds since the Unix epoch. */
export interface PruneLimits {
  /** Calls that ended before are removed. */
  readonly beforeMs: number;
  /** Calls above this number are removed. */
  readonly maxRows: number;
  /** Sums of spans that began before are removed. */
  readonly sumsBeforeMs: { readonly [Step in SumStep]: number };
}

/**
 * Where calls are kept for operators: bounded, and apart from money. Durable ledgers have one (`ledger.requests`); `memoryRequestLog()` keeps the newest
 * in this process.
 */
export interface RequestLog {
  /** Questions and answers, where the log can keep them. Absent where it cannot. */
  readonly texts?: RequestTexts | undefined;
  /** Keeps rows. A row of a known request id is ignored, so that rows can be written again after a failure whose effect is not known. */
  append(rows: readonly LoggedRequest[]): Promise<void>;
  /** A page of calls, the newest first. */
  find(filter: RequestFilter, page: RequestPageQuery): Promise<RequestPage>;
  /** @param id of a request or of an answer. */
  get(id: string): Promise<LoggedRequest | undefined>;
  /** Ids of the organizations that have calls, those with the most calls first. */
  organizations(most: number): Promise<readonly string[]>;
  /**
   * Removes the calls that ended before a time and sums that are too old, else calls above `maxRows`: a part of them, so that no removal takes long. Above
   * `maxRows`, the organization with the most calls loses its oldest, again and again, so that no organization can push out the calls of another.
   *
   * @returns how many were removed; 0 when nothing is left to remove.
   */
  prune(limits: PruneLimits): Promise<number>;
  /**
   * Sums of all calls that came, also of those that were removed, but by minute of those that are there: at most 10,000, those with the highest counts first.
   *
   * @throws RangeError for minutes of more than 3 hours.
   */
  statistics(query: StatisticsQuery): Promise<StatisticsRows>;
  /** Removes all calls of an organization with their texts, and their part of the sums. @returns how many calls. */
  erase(organizationId: string): Promise<number>;
  /** Takes the id of a budget out of the calls of its organization, which stay. @returns how many calls had it. */
  eraseBudget(organizationId: string, budget: string): Promise<number>;
}

/** A call as JSON has it: amounts are texts. */
export type StoredRequest = Omit<LoggedRequest, 'cost' | 'upstreamCost' | 'loss' | 'attempts'> & {
  /** Nanodollars as digits; `null` for nothing. */
  readonly cost: string | null;
  /** Nanodollars as digits; `null` if unknown. */
  readonly upstreamCost: string | null;
  /** Nanodollars as digits. */
  readonly loss: string;
  /** With costs as texts. */
  readonly attempts: readonly StoredAttempt[];
};

/** Those of older packages have no cause. */
type StoredAttempt = Omit<AttemptRow, 'cost' | keyof typeof NO_CAUSE> & {
  readonly [Field in keyof typeof NO_CAUSE]?: AttemptRow[Field] | undefined;
} & { readonly cost: string | null };

const NO_CAUSE = { phase: null, upstreamStatus: null, code: null };

/** A call in the form that JSON can have. */
export function storedRequest(row: LoggedRequest): StoredRequest {
  const { cost, upstreamCost, loss, attempts } = row;
  return {
    ...row,
    cost: textOf(cost),
    upstreamCost: textOf(upstreamCost),
    loss: `${loss}`,
    attempts: attempts.map((attempt) => ({ ...attempt, cost: textOf(attempt.cost) })),
  };
}

/** The call that was stored, with amounts as bigints. */
export function requestOf(stored: StoredRequest): LoggedRequest {
  return { ...rowOfStored(stored), attempts: stored.attempts.map(attemptOf) };
}

/** The attempt that was stored. */
export function attemptOf(stored: StoredAttempt): AttemptRow {
  return { ...NO_CAUSE, ...stored, cost: amountOf(stored.cost) } as AttemptRow;
}

/** A call without its attempts. */
export function rowOfStored(stored: Omit<StoredRequest, 'attempts'>): RequestRow {
  const { cost, upstreamCost, loss } = stored;
  return { ...stored, cost: amountOf(cost), upstreamCost: amountOf(upstreamCost), loss: BigInt(loss) };
}

function textOf(amount: NanoUsd | null): string | null {
  return amount === null ? null : `${amount}`;
}

function amountOf(text: string | null): NanoUsd | null {
  return text === null ? null : BigInt(text);
}

/** A place in the list: newer calls are before it. */
export interface RequestPlace {
  /** The end of the call, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** Decides among calls of the same time. */
  readonly requestId: string;
}

/** The cursor of a page that begins after this place. */
export function cursorOf({ atMs, requestId }: RequestPlace): string {
  return `${atMs}.${requestId}`;
}

/** @throws RangeError for a text that is no cursor. */
export function placeOf(cursor: string): RequestPlace {
  const [, at = '', requestId = ''] = /^(\d{1,15})\.(\S{1,128})$/.exec(cursor) ?? [];
  if (requestId === '') throw new RangeError('no cursor of a page of requests');
  return { atMs: Number(at), requestId };
}

/** Newer first. */
export function byPlace(a: RequestPlace, b: RequestPlace): number {
  if (a.atMs !== b.atMs) return b.atMs - a.atMs;
  return a.requestId === b.requestId ? 0 : a.requestId < b.requestId ? 1 : -1;
}

/** The statuses that a filter wants. */
export function statusRange(status: number): { readonly from: number; readonly to: number } {
  return status < 10 ? { from: status * 100, to: status * 100 + 99 } : { from: status, to: status };
}

/** Whether a call fits every given field. @param row a call, or what has the fields that the filter names. */
export function fitsFilter(row: Pick<RequestRow, 'atMs' | 'organizationId'>, filter: RequestFilter): boolean {
  const {
    sinceMs = 0,
    untilMs = Number.POSITIVE_INFINITY,
    organizations,
    status,
    budget,
    attempted,
    ...others
  } = filter;
  const { minCost, minDurationMs, minAttempts, ...equal } = others;
  if (row.atMs < sinceMs || row.atMs >= untilMs) return false;
  if (organizations !== undefined && !organizations.includes(row.organizationId)) return false;
  const fields = row as Partial<RequestRow>;
  if (budget !== undefined && fields.budgets?.includes(budget) !== true) return false;
  if (attempted !== undefined && fields.attempted?.includes(attempted) !== true) return false;
  const { cost, durationMs = 0, attemptCount = 0 } = fields;
  if (minCost !== undefined && (cost == null || cost < minCost)) return false;
  if (durationMs < (minDurationMs ?? 0) || attemptCount < (minAttempts ?? 0)) return false;
  const range = status === undefined ? undefined : statusRange(status);
  if (range !== undefined && !(Number(fields.status) >= range.from && Number(fields.status) <= range.to)) return false;
  return Object.entries(equal).every(
    ([field, value]) => value === undefined || fields[field as keyof typeof equal] === value,
  );
}
