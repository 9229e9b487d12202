import assert from 'node:assert/strict';
import { type AnswerOutcome, isUpstreamError, markersIn } from '@searchgate/core/provider-kit';
import { checkEntries } from './check-entries.js';
import { checkPages } from './check-pages.js';
import { withoutGaps, withoutUndefined } from './given-fields.js';
import type { Outcome } from './ports.js';
import { type ExpectedFailure, isAnswerFixture, type OutcomeFixture } from './provider-fixture.js';
import type { Ending } from './scene.js';

/** Fails unless the attempt's result is exactly the fixture's outcome. */
export function checkOutcome(actual: Ending, fixture: OutcomeFixture): void {
  if (isAnswerFixture(fixture)) {
    checkAnswer(actual, fixture.answer);
    return;
  }
  assert.ok(!isUpstreamError(actual), `failed instead of succeeding: ${textOf(actual)}`);
  checkInvariants(actual);
  assert.deepEqual(withoutGaps(actual), withoutGaps(fixture.outcome));
}

/** Fails unless the attempt's result is exactly this answer. */
export function checkAnswer(actual: Ending, expected: AnswerOutcome): void {
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

export function assertAnswered(actual: Ending): asserts actual is AnswerOutcome {
  assert.ok('text' in actual, `failed instead of answering: ${textOf(actual)}`);
}

/** Properties of every outcome of every provider. */
export function checkInvariants(outcome: Outcome): void {
  assert.ok((outcome.cost.reported ?? 0n) >= 0n, 'the cost is not negative');
  if ('text' in outcome) checkText(outcome);
  else if ('ranks' in outcome || 'embeddings' in outcome) checkEntries(outcome);
  else checkPages(outcome);
}

function checkText({ text, markers, citations }: AnswerOutcome): void {
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
}

/** Fails unless the attempt's result is this failure. */
export function checkFailure(actual: Ending, expected: ExpectedFailure): void {
  assert.ok(isUpstreamError(actual), `answered instead of failing: ${textOf(actual)}`);
  const { reason, phase = actual.phase, cost = null, retryAfterMs = actual.retryAfterMs } = expected;
  const failed = { reason: actual.reason, phase: actual.phase, cost: actual.cost, retryAfterMs: actual.retryAfterMs };
  assert.deepEqual(failed, { reason, phase, cost, retryAfterMs }, actual.detail);
}

/** Fails if the result contains any eight consecutive characters of the secret. */
export function checkSecrecy(ending: Ending, secret: string): void {
  const shown = isUpstreamError(ending)
    ? `${ending.message} ${textOf(ending)} ${String(ending.cause)}`
    : textOf(ending);
  for (let start = 0; start + SECRET_PART_LENGTH <= secret.length; start += 1) {
    const part = secret.slice(start, start + SECRET_PART_LENGTH);
    assert.ok(!shown.includes(part), 'no part of the key leaves the adapter');
  }
}

const SECRET_PART_LENGTH = 8;

function textOf(ending: Ending): string {
  return JSON.stringify(ending, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
