import assert from 'node:assert/strict';
import {
  type AnswerOutcome,
  isUpstreamError,
  markersOf,
  type Provider,
  textTokens,
  unmarkedText,
} from '@searchgate/core/provider-kit';
import { assertAnswered, assertSame, checkInvariants } from './check-outcome.js';
import { eventsOf, handLive, LiveLog, type LiveRun, type StreamedFixture, streamReply, wordsOf } from './live-run.js';
import { beginnings, mutatedReplies } from './mutations.js';
import { modelOf } from './ports.js';
import type { StreamFixture } from './provider-fixture.js';
import { TIMEOUT_MS, withScene } from './scene.js';

/** Fails unless a stream yields its fixture's answer, and the streamed text is a prefix of it with whole markers. */
export async function checkStream(provider: Provider, fixture: StreamedFixture): Promise<void> {
  const { body } = fixture.stream;
  const { features } = modelOf(provider, fixture.model);
  assert.ok(features.includes('streaming'), `${fixture.model} has a stream: its features are to name streaming`);
  checkRun(await handLive(provider, fixture, [body]), fixture);
  checkRun(await handLive(provider, fixture, eventsOf(body)), fixture);
  checkRun(await handLive(provider, fixture, bytesOf(body)), fixture);
  const late = await handLive(provider, fixture, [body]);
  await turns();
  assert.equal(late.log.handed.length, late.handedInTime, 'nothing is handed over after the call has ended');
}

function checkRun({ log, ending }: LiveRun, { answer, stream }: StreamedFixture): void {
  assertAnswered(ending);
  checkInvariants(ending);
  assertSame(essence(ending), essence(answer), 'the outcome is that of the whole reply');
  checkHanded(log, ending, stream);
  assert.notEqual(log.joined, '', 'text is handed over before the end');
}

/** The answer without the provider's call id, which differs from reply to reply. */
function essence({ text, citations, cost }: AnswerOutcome): AnswerOutcome {
  return { text, citations, cost };
}

function checkHanded(log: LiveLog, outcome: AnswerOutcome, { markersAreLate, citationsAreLate }: StreamFixture): void {
  const { text, citations } = outcome;
  const whole = markersAreLate === true ? unmarkedText(outcome) : text;
  const cuts = new Set(markersAreLate === true ? [] : insideOfMarkers(text));
  const urls = citations.map(({ url }) => url);
  let known = 0;
  let end = 0;
  for (const handed of log.handed) {
    if ('citations' in handed) {
      const named = handed.citations.map(({ url }) => url);
      assert.deepEqual(named, urls.slice(0, named.length), 'citations come in the order of the outcome');
      assert.ok(named.length >= known, 'the list of citations only grows');
      known = named.length;
      continue;
    }
    assert.notEqual(handed.text, '', 'no part is empty');
    assert.equal(handed.text, whole.slice(end, end + handed.text.length), 'the parts are the beginning of the text');
    for (const { start, end: markerEnd, position } of handed.markers ?? markersOf({ text: handed.text, citations })) {
      assert.equal(handed.text.slice(start, markerEnd), `[${position}]`, 'every marker is [n]');
      assert.ok(citationsAreLate === true || position <= known, 'a citation marker follows its citation');
    }
    end += handed.text.length;
    assert.ok(!cuts.has(end), `no marker is cut: ${handed.text}`);
    assert.doesNotMatch(handed.text, /\p{Surrogate}/u, 'no character is cut');
  }
}

/** The positions of a text inside of markers. */
function insideOfMarkers(text: string): number[] {
  const places: number[] = [];
  for (const { kind, start, end } of textTokens(text)) {
    if (kind === 'marker') for (let at = start + 1; at < end; at += 1) places.push(at);
  }
  return places;
}

/** A stream may end anywhere: the result is a failure, unless the answer was complete. */
export async function checkBrokenStreams(provider: Provider, fixture: StreamedFixture): Promise<void> {
  const whole = handedText(fixture);
  for (const beginning of beginnings(fixture.stream.body)) {
    const run = await handLive(provider, fixture, [beginning]);
    if (isUpstreamError(run.ending)) assert.equal(run.ending.reason, 'upstream_invalid_response', beginning);
    else checkRun(run, fixture);
    assert.ok(whole.startsWith(run.log.joined), `streamed text of ${beginning}`);
  }
}

/** The longest text that may be handed over. */
function handedText({ answer, stream }: StreamedFixture): string {
  return stream.markersAreLate ? unmarkedText(answer) : answer.text;
}

const FAILURE = 'event: error\ndata: {"error":{"message":"The service failed.","code":"internal"}}\n\n';

/** After an error event there is no answer, no waiting, and no further text. */
export async function checkErrorEvents(provider: Provider, fixture: StreamedFixture): Promise<void> {
  const events = eventsOf(fixture.stream.body);
  for (const index of events.keys()) {
    const run = await handLive(provider, fixture, events.toSpliced(index, 0, FAILURE));
    const { log } = await handLive(provider, fixture, events.slice(0, index));
    const before = handedText(fixture).startsWith(log.joined) ? log.joined : '';
    assert.ok(isUpstreamError(run.ending), `an error before event ${index + 1} must fail: ${wordsOf(run.ending)}`);
    assert.ok(before.startsWith(run.log.joined), `no text follows an error before event ${index + 1}`);
    assert.equal(run.piecesRead, index + 1, `an error before event ${index + 1} ends the call at once`);
  }
}

/** A provider may change its streams at any time: the result is an answer or a classified failure, never a crash. */
export async function checkStreamMutations(provider: Provider, fixture: StreamedFixture): Promise<void> {
  for (const text of mutatedReplies(fixture.stream.body)) {
    const { ending } = await handLive(provider, fixture, [text]);
    if (isUpstreamError(ending))
      assert.match(ending.reason, /^(?:upstream_invalid_response|query_rejected|no_answer_found)$/, text);
    else checkInvariants(ending);
  }
}

/** A stalled stream and a broken connection end the attempt in time, and nothing is handed over afterwards. */
export async function checkStalls(create: (baseUrl: string) => Provider, fixture: StreamedFixture): Promise<void> {
  const healthyReply = streamReply(fixture);
  const length = Buffer.byteLength(healthyReply.body);
  await withScene({ healthyReply, dripIntervalMs: 1 }, async ({ upstream, stream, advance }) => {
    const log = new LiveLog();
    const pending = stream(create(upstream.url), fixture.model, { fault: 'slow_drip', live: log });
    await Promise.race([upstream.served(1), pending]);
    // All but the last byte arrive, then the stream stalls.
    await advance(Math.min(length, TIMEOUT_MS - 1));
    for (let turn = 0; turn < MANY_TURNS && log.joined === ''; turn += 1) await turns();
    assert.notEqual(log.joined, '', 'text is handed over before the end');
    await advance(TIMEOUT_MS);
    const ending = await pending;
    const handed = log.handed.length;
    // The answer may be complete even without the last byte.
    const isWhole = await isWholeWithoutLastByte(create(upstream.url), fixture);
    if (!isWhole || isUpstreamError(ending)) {
      assert.ok(isUpstreamError(ending), `a stream that stops must fail: ${wordsOf(ending)}`);
      assert.deepEqual([ending.reason, ending.phase], ['upstream_timeout', 'body']);
    }
    await turns();
    assert.equal(log.handed.length, handed, 'nothing is handed over after the call has ended');
  });
  await withScene({ healthyReply }, async ({ upstream, stream }) => {
    const ending = await stream(create(upstream.url), fixture.model, { fault: 'body_cut', live: new LiveLog() });
    assert.ok(isUpstreamError(ending), `a connection that breaks must fail: ${wordsOf(ending)}`);
    assert.deepEqual([ending.reason, ending.phase], ['upstream_invalid_response', 'body']);
  });
}

async function isWholeWithoutLastByte(provider: Provider, fixture: StreamedFixture): Promise<boolean> {
  const { ending } = await handLive(provider, fixture, [Buffer.from(fixture.stream.body).subarray(0, -1)]);
  return 'text' in ending && ending.text === fixture.answer.text;
}

const MANY_TURNS = 1_000;

/** Waits some turns of the event loop. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

/** The bytes one by one. */
function bytesOf(body: string): Uint8Array[] {
  return Array.from(Buffer.from(body), (byte) => Uint8Array.of(byte));
}
