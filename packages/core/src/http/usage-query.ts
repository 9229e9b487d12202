import { z } from 'zod';
import { RequestError } from '../base/errors/request-error.js';
import { dayOf, LAST_DAY } from '../base/time/clock.js';
import type { AskedUsage } from '../request/read-usage.js';
import { checkUsageNames } from './parameter-names.js';

/** The groupings of usage that callers can choose. */
export const USAGE_BY = ['day', 'model', 'tag', 'budget'] as const;
/** Most days of one request. */
const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;
const DATE = z.iso.date();

/**
 * Reads the query string of `GET /usage`: `by`, and the first and the last day (in UTC). Default: the thirty days up to today.
 *
 * @throws RequestError `invalid_parameter`; `unsupported_field` for the name of a filter.
 */
export function parseUsageQuery(query: string, nowMs: number): AskedUsage {
  const parameters = new URLSearchParams(query);
  checkUsageNames(parameters);
  const by = only(parameters, 'by');
  const group = USAGE_BY.find((known) => known === by);
  if (group === undefined) throw new RequestError('invalid_parameter', { param: 'by', details: { allowed: USAGE_BY } });
  const to = readDay('to', only(parameters, 'to'));
  const lastDay = to ?? dayOf(nowMs);
  const fromDay = readDay('from', only(parameters, 'from')) ?? Math.max(0, lastDay - DEFAULT_DAYS + 1);
  if (lastDay < fromDay && to === undefined) throw wrong('from', 'a date up to today');
  if (lastDay < fromDay) throw wrong('to', 'a date that is not before from');
  if (lastDay - fromDay >= MAX_DAYS) throw wrong('from', `a date that makes at most ${MAX_DAYS} days`);
  // No day follows `LAST_DAY`.
  return { by: group, fromDay, toDay: lastDay < LAST_DAY ? lastDay + 1 : undefined };
}

/** @returns `undefined` when the parameter is missing. */
function only(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = parameters.getAll(name);
  if (others.length > 0) throw wrong(name, 'one value');
  return value;
}

function readDay(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const day = DATE.safeParse(text).success ? dayOf(Date.parse(`${text}T00:00:00Z`)) : -1;
  if (day < 0) throw wrong(name, 'a date such as 2026-11-21');
  return day;
}

function wrong(param: string, allowed: string): RequestError {
  return new RequestError('invalid_parameter', { param, details: { allowed: [allowed] } });
}
