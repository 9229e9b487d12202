import assert from 'node:assert/strict';
import {
  type ModelRow,
  type Provider,
  resolvedSearch,
  type SearchOptions,
  UpstreamError,
  type UpstreamRequest,
} from '@searchgate/core/provider-kit';
import { holds } from './check-request.js';
import { type Asked, callPort, QUERY } from './ports.js';

const SAMPLES: Required<SearchOptions> = {
  includeDomains: ['example.org'],
  excludeDomains: ['example.org'],
  freshness: 'week',
  publishedAfter: '2026-01-31',
  publishedBefore: '2026-02-28',
  country: 'DE',
  language: 'de',
  topic: 'news',
};
const NOW_MS = Date.UTC(2026, 10, 22);

/** Fails unless each search option of a model changes the declared field, but not the question. */
export async function checkOptions(provider: Provider, model: ModelRow): Promise<void> {
  const { slug, options = {} } = model;
  const plain = await requestsFor(provider, model, {});
  for (const option of Object.keys(options) as (keyof SearchOptions)[]) {
    const { as = '', values } = options[option] ?? {};
    assert.ok(Object.hasOwn(SAMPLES, option), `${slug}: ${option} is a search option`);
    assert.notEqual(as.trim(), '', `${slug}: ${option} names the field that it becomes`);
    const value = typeof SAMPLES[option] === 'string' ? (values?.[0] ?? SAMPLES[option]) : SAMPLES[option];
    const asked = await requestsFor(provider, model, { search: resolvedSearch({ [option]: value }, NOW_MS) });
    const changed = changedFields(plain, asked);
    assert.ok(changed.length > 0, `${slug}: ${option} changes the request`);
    assert.ok(asked.every(hasQuestion), `${slug}: ${option} leaves the question as it was asked`);
    const isDeclared = !FIELD.test(as) || changed.some((field) => field === as || isWithin(field, as));
    assert.ok(isDeclared, `${slug}: ${option} is declared as ${as}, but changes ${changed.join(', ')}`);
  }
}

/** The path of a field: `max_age`, `tools[].filters.domains`. Other texts in a row describe an option without a field. */
const FIELD = /^[\w-]+(?:\[\])*(?:\.[\w-]+(?:\[\])*)*$/;

function isWithin(field: string, outer: string): boolean {
  return field.startsWith(`${outer}.`) || field.startsWith(`${outer}[]`);
}

/** The requests of a call. */
export async function requestsFor(
  provider: Provider,
  { slug }: ModelRow,
  call: Asked['call'],
): Promise<readonly UpstreamRequest[]> {
  const requests: UpstreamRequest[] = [];
  const upstream = {
    send(request: UpstreamRequest) {
      requests.push(request);
      return Promise.reject(new UpstreamError('upstream_unreachable', { phase: 'connect' }));
    },
  };
  const context = { upstream, signal: new AbortController().signal };
  await callPort(provider, { model: slug, call }, context)?.catch(() => undefined);
  return requests;
}

/** The fields of a request with options that are missing in the request without. */
export function changedFields(plain: readonly UpstreamRequest[], asked: readonly UpstreamRequest[]): string[] {
  const known = new Set(plain.flatMap(fieldsOf).map(({ field, value }) => `${field} ${value}`));
  const fresh = asked.flatMap(fieldsOf).filter(({ field, value }) => !known.has(`${field} ${value}`));
  return [...new Set(fresh.map(({ field }) => field))];
}

interface SentField {
  readonly field: string;
  readonly value: string;
}

/** The values in a request's URL, headers and body. */
function fieldsOf({ url, headers, json }: UpstreamRequest): SentField[] {
  const named = [['path', url.pathname] as const, ...url.searchParams, ...Object.entries(headers)].map(
    ([field, value]) => ({ field, value }),
  );
  return [...named, ...valuesIn(json, '')];
}

function valuesIn(value: unknown, field: string): SentField[] {
  if (Array.isArray(value)) return (value as unknown[]).flatMap((entry) => valuesIn(entry, `${field}[]`));
  if (typeof value !== 'object' || value === null) return [{ field, value: JSON.stringify([value]) }];
  return Object.entries(value).flatMap(([name, entry]) => valuesIn(entry, field === '' ? name : `${field}.${name}`));
}

function hasQuestion({ url, json }: UpstreamRequest): boolean {
  return holds(json, QUERY) || [...url.searchParams.values()].includes(QUERY);
}
