import assert from 'node:assert/strict';
import { type AnswerOutcome, isUpstreamError, markersIn, type UpstreamError } from '@searchgate/core/provider-kit';
import type { ExpectedFailure } from './provider-fixture.js';

/** Fails unless the attempt's result is exactly this answer. */
export function checkAnswer(actual: AnswerOutcome | UpstreamError, expected: AnswerOutcome): void {
  assertAnswered(actual);
  checkInvariants(actual);
  assertSame(actual, expected);
}

/** Drops the markers, whose positions are in the text. */
function withoutMarkers({ markers: _markers, ...outcome }: AnswerOutcome): AnswerOutcome {
  return outcome;
}

/** Fails unless two answers are equal; `undefined` equals absence, and markers are compared only if expected. */
export function assertSame(actual: AnswerOutcome, expected: AnswerOutcome, message?: string): void {
  const compared = expected.markers === undefined ? withoutMarkers(actual) : actual;
  assert.deepEqual(withoutUndefined(compared), withoutUndefined(expected), message);
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(given.map(([key, entry]) => [key, withoutUndefined(entry)]));
}

export function assertAnswered(actual: AnswerOutcome | UpstreamError): asserts actual is AnswerOutcome {
  assert.ok(!isUpstreamError(actual), `failed instead of answering: ${textOf(actual)}`);
}

/** Properties of every answer of every provider. */
export function checkInvariants({ text, markers, citations, cost }: AnswerOutcome): void {
  assert.notEqual(text.trim(), '', 'the text is not empty');
  if (markers === undefined) assert.equal(text, markersIn(text, citations.length).text, 'every marker is [n]');
  let last = 0;
  for (const { start, end, position } of markers ?? []) {
    assert.equal(text.slice(start, end), `[${position}]`, 'every marker is [n]');
    assert.ok(start >= last && position >= 1 && position <= citations.length, 'every marker points to a citation');
    last = end;
  }
  const urls = citations.map(({ url }) => url);
  assert.deepEqual(urls, [...new Set(urls)], 'every citation comes once');
  assert.ok(!urls.includes(''), 'every citation has a url');
  assert.ok((cost.reported ?? 0n) >= 0n, 'the cost is not negative');
}

/** Fails unless the attempt's result is this failure. */
export function checkFailure(actual: AnswerOutcome | UpstreamError, expected: ExpectedFailure): void {
  assert.ok(isUpstreamError(actual), `answered instead of failing: ${textOf(actual)}`);
  const { reason, phase, cost, retryAfterMs } = actual;
  assert.deepEqual(
    { reason, phase, cost, retryAfterMs },
    {
      reason: expected.reason,
      phase: expected.phase ?? phase,
      cost: expected.cost ?? null,
      retryAfterMs: expected.retryAfterMs === undefined ? retryAfterMs : expected.retryAfterMs,
    },
    actual.detail,
  );
}

/** Fails if the result contains any eight consecutive characters of the secret. */
export function checkSecrecy(ending: AnswerOutcome | UpstreamError, secret: string): void {
  const shown = isUpstreamError(ending)
    ? `${ending.message} ${textOf(ending)} ${String(ending.cause)}`
    : textOf(ending);
  for (let start = 0; start + SECRET_PART_LENGTH <= secret.length; start += 1) {
    const part = secret.slice(start, start + SECRET_PART_LENGTH);
    assert.ok(!shown.includes(part), 'no part of the key leaves the adapter');
  }
}

const SECRET_PART_LENGTH = 8;

function textOf(ending: AnswerOutcome | UpstreamError): string {
  return JSON.stringify(ending, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
