import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseUsd, REASONS } from '../src/index.js';
import * as allProviders from '../src/providers/index.js';
import { eventsOf, providerOf, RECORDED_STREAMS } from './recorded-streams.js';
import { deliveredStreams } from './stream-faults/delivered-streams.js';
import { errorOf, expectMoney, expectNothingLeft } from './stream-faults/expectations.js';
import { faultCases } from './stream-faults/fault-cases.js';
import { FAULTS, STATUSES } from './stream-faults/faults.js';
import { begin, openStage, type Stage } from './stream-faults/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

describe('the recorded streams', () => {
  it('include one of each streaming provider', () => {
    const providers = Object.values(allProviders).map((create) => create({ apiKey: 'a-key' }));
    const streaming = providers.filter(({ models }) => models.some(({ features }) => features.includes('streaming')));
    const recorded = RECORDED_STREAMS.map(providerOf);
    expect(recorded, 'one for each in packages/core/test/recorded-streams.ts').toEqual(streaming.map(({ id }) => id));
  });
});

describe.each(RECORDED_STREAMS)('a stream of $model', (stream) => {
  const { early } = faultCases(stream);

  it.each(early)('with $title ends in an ordinary error, and is not charged', async ({ scene, failure }) => {
    const ending = await stage.run({ ...scene, hasFallback: false });
    expect([ending.status, ending.events]).toEqual([REASONS[failure.reason].status, []]);
    expect(ending.json).toMatchObject({ error: errorOf(stream, failure) });
    expectMoney(ending, { loss: failure.loss });
    expectNothingLeft(ending);
  });

  it.each(STATUSES)('refused with %d is %s, as without a stream', async (upstreamStatus, reason) => {
    const play = (res: ServerResponse) => res.writeHead(upstreamStatus).end('{"error":"no"}');
    const ending = await stage.run({ stream, hasFallback: false, play });
    expect([ending.status, ending.events]).toEqual([REASONS[reason].status, []]);
    expect(ending.json).toMatchObject({ error: errorOf(stream, { reason, phase: 'headers' }) });
    expectMoney(ending, {});
  });

  it('that never begins is a timeout whose price is recorded as a loss', async () => {
    const ending = await stage.run({ stream, hasFallback: false, play: () => undefined, timesOut: true });
    expect(ending.json).toMatchObject({ error: errorOf(stream, { reason: 'upstream_timeout', phase: 'headers' }) });
    expectMoney(ending, { loss: parseUsd(stream.listPrice) });
  });
});

deliveredStreams(true, () => stage);

/** Streams whose evidence is a reason, which some vendors also send before the last event. */
const BY_REASON = RECORDED_STREAMS.filter(({ evidence: [word = ''] }) => /(?:finish|stop)_reason/.test(word));

describe.each(BY_REASON)('a stream of $model with its evidence after each event', (stream) => {
  it('is cut anywhere before its last event, and complete with it', async () => {
    const events = eventsOf(stream);
    const proof = stream.evidence.map((word) => events.findLast((event) => event.includes(word)) ?? '').join('');
    const often = events.map((event) => event + proof);
    for (const name of ['silence', 'a cut between events', 'a reset', 'an end that comes too early']) {
      const play = async (res: ServerResponse, delivered: Promise<void>) => {
        await begin(res, often.slice(0, Math.ceil(events.length * 0.7)));
        await delivered;
        FAULTS[name]?.play(res, { next: '', error: '' });
      };
      const ending = await stage.run({ stream, hasFallback: false, play, timesOut: name === 'silence' });
      const reason = name === 'silence' ? 'upstream_timeout' : 'upstream_invalid_response';
      const last = ending.events.at(-1) ?? { event: 'error', data: ending.json };
      expect({ name, ...last }).toMatchObject({ name, event: 'error', data: { error: { reason } } });
      expect(ending.money).toMatchObject({ held: 0n, usages: [0n, 0n] });
    }
    const play = async (res: ServerResponse) => {
      await begin(res, often);
      res.end('data: [DONE]\n\n');
    };
    expect((await stage.run({ stream, hasFallback: false, play })).events.at(-1)?.event).toBe('done');
  });
});
