import { type Params, useAddress } from './address.js';
import { minute } from './format.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The length of a span of statistics. */
export const STEPS_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: 24 * HOUR_MS };

/** The ranges up to now, with their lengths in hours; a month begins with its first day. */
const LENGTHS = { '1h': 1, '24h': 24, '7d': 7 * 24, '30d': 30 * 24, month: null } as const;

export const RANGE_NAMES: Readonly<Record<keyof typeof LENGTHS, string>> = {
  '1h': 'Hour',
  '24h': 'Day',
  '7d': '7 days',
  '30d': '30 days',
  month: 'This month',
};

/** The time that all views show: in their address as `range=24h`, or `from` and `to` with minutes. */
export interface TimeRange {
  /** A name of {@link RANGE_NAMES}; `null` for a chosen time. */
  readonly name: keyof typeof LENGTHS | null;
  /** ISO times in UTC of whole minutes; `until` is `null` for now. */
  readonly since: string;
  readonly until: string | null;
}

const isName = (name: string): name is keyof typeof LENGTHS => Object.hasOwn(LENGTHS, name);
/** As `from` and `to` have it; the API wants seconds. */
const asMinute = (ms: number) => `${minute(new Date(ms).toISOString()).replace(' ', 'T')}:00Z`;

/** The range that the parameters of an address name. A `to` without `from`, and a time that is none, are as if they were missing. */
export function rangeOf({ range = '', from = '', to = '' }: Params, nowMs = Date.now()): TimeRange {
  const [fromMs, toMs] = [Date.parse(from ?? ''), Date.parse(to ?? '')];
  if (fromMs >= 0) return { name: null, since: asMinute(fromMs), until: toMs > fromMs ? asMinute(toMs) : null };
  const name = isName(range ?? '') ? (range as keyof typeof LENGTHS) : '7d';
  const hours = LENGTHS[name];
  const begin =
    hours === null ? Date.parse(`${new Date(nowMs).toISOString().slice(0, 7)}-01`) : nowMs - hours * HOUR_MS;
  return { name, since: asMinute(begin), until: null };
}

/** The parameters of a range that begins and ends at whole minutes. */
export function rangeParams(sinceMs: number, untilMs: number): Params {
  const from = Math.floor(sinceMs / MINUTE_MS) * MINUTE_MS;
  const to = Math.max(from + MINUTE_MS, Math.ceil(untilMs / MINUTE_MS) * MINUTE_MS);
  return { range: '', from: asMinute(from), to: asMinute(to) };
}

/** The parameters that all views share, for links between them. */
export function sharedParams({ range, from, to }: Params): Params {
  return { range, from, to };
}

/** The range of the address, and a function that chooses another. */
export function useTimeRange(): TimeRange & { choose(params: Params): void } {
  const { params, change } = useAddress();
  return { ...rangeOf(params), choose: (chosen) => change({ range: '', from: '', to: '', ...chosen }) };
}
