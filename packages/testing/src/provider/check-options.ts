import assert from 'node:assert/strict';
import {
  type AnswerModel,
  askedSearch,
  type Provider,
  type SearchOptions,
  UpstreamError,
  type UpstreamRequest,
} from '@searchgate/core/provider-kit';
import { holds } from './check-request.js';
import { QUERY } from './scene.js';

const SAMPLES: Required<SearchOptions> = {
  includeDomains: ['example.org'],
  excludeDomains: ['example.org'],
  freshness: 'week',
  publishedAfter: '2026-01-31',
  publishedBefore: '2026-02-28',
  country: 'DE',
  language: 'de',
};
const NOW_MS = Date.UTC(2026, 10, 22);

/** Fails unless each search option that a model declares changes what is sent for it, but not the question. */
export async function checkOptions(provider: Provider, model: AnswerModel): Promise<void> {
  const { slug, options = {} } = model;
  const plain = await requestsFor(provider, model);
  for (const option of Object.keys(options) as (keyof SearchOptions)[]) {
    const { as = '', values, needs = [] } = options[option] ?? {};
    assert.ok(option in SAMPLES, `${slug}: ${option} is a search option`);
    assert.notEqual(as.trim(), '', `${slug}: ${option} names the field that it becomes`);
    const others = Object.fromEntries(needs.map((other) => [other, SAMPLES[other]]));
    const value = typeof SAMPLES[option] === 'string' ? (values?.[0] ?? SAMPLES[option]) : SAMPLES[option];
    const asked = await requestsFor(provider, model, { ...others, [option]: value });
    assert.notEqual(textOf(asked), textOf(plain), `${slug}: ${option} changes what is sent`);
    assert.ok(asked.every(hasQuestion), `${slug}: ${option} leaves the question as it was asked`);
  }
}

/** What is sent for a question. */
async function requestsFor(
  { answer }: Provider,
  model: AnswerModel,
  search?: SearchOptions,
): Promise<readonly UpstreamRequest[]> {
  const requests: UpstreamRequest[] = [];
  const upstream = {
    send(request: UpstreamRequest) {
      requests.push(request);
      return Promise.reject(new UpstreamError('upstream_unreachable', { phase: 'connect' }));
    },
  };
  const asked = search === undefined ? {} : { search: askedSearch(search, NOW_MS) };
  const call = { model, query: QUERY, ...asked };
  await answer.answer(call, { upstream, signal: new AbortController().signal }).catch(() => undefined);
  return requests;
}

function textOf(requests: readonly UpstreamRequest[]): string {
  return JSON.stringify(requests.map(({ url, json }) => [url, json]));
}

function hasQuestion({ url, json }: UpstreamRequest): boolean {
  return holds(json, QUERY) || [...url.searchParams.values()].includes(QUERY);
}
