import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { parseUsd, REASONS } from '../../src/index.js';
import { expectedAnswers } from '../every-model/expected-answers.js';
import { eventsOf, providerOf, RECORDED_STREAMS } from '../recorded-streams.js';
import { joined } from '../stream-client.js';
import { errorOf, expectMoney, expectNothingLeft } from './expectations.js';
import { faultCases } from './fault-cases.js';
import { FAULTS } from './faults.js';
import { begin, type Scene, type Stage } from './stage.js';

const FALLBACK_COST = parseUsd('0.008');

/**
 * The streams of all providers with every fault, for callers with or without citations. Without citations they get the same text without markers.
 * @param stageOf must be open when tests run.
 */
export function deliveredStreams(includeCitations: boolean, stageOf: () => Stage): void {
  describe.each(RECORDED_STREAMS)(`a stream of $model, citations: ${includeCitations}`, (stream) => {
    const { latest, late } = faultCases(stream);
    const recorded = expectedAnswers(providerOf(stream)).get(stream.model);
    const unmarked = (answer: unknown) => String(answer).replaceAll(/ ?\[\d+\]/g, '');
    const whole = recorded && { ...recorded, answer: includeCitations ? recorded.answer : unmarked(recorded.answer) };
    /** The part of an answer before its end, without late markers. */
    const shown = (answer: unknown) => (stream.isLate ? unmarked(answer) : answer);
    const run = (scene: Omit<Scene, 'includeCitations'>) => stageOf().run({ ...scene, includeCitations });

    it.each(latest)('with $title is answered by the fallback', async ({ scene, failure: { loss } }) => {
      const ending = await run({ ...scene, hasFallback: true });
      const names = ending.events.map(({ event }) => event);
      const between = includeCitations ? ['citations', 'delta'] : ['delta'];
      expect([ending.status, names]).toEqual([200, ['start', ...between, 'done']]);
      expect(ending.events[0]?.data).toMatchObject({ model: 'tavily/answer' });
      expect(ending.events.at(-1)?.data).toMatchObject({
        answer: 'Yes.',
        ...(includeCitations ? { citations: [{ title: 'A' }] } : {}),
      });
      expectMoney(ending, { charge: FALLBACK_COST, loss });
      expectNothingLeft(ending);
    });

    // With a fallback, which would be tried if the answer had not started.
    it.each(late)('with $title ends in an error event, without another attempt', async ({ scene, failure }) => {
      const { reason, loss } = failure;
      const ending = await run({ ...scene, hasFallback: true });
      expect([ending.status, ending.events[0]?.event, ending.events.at(-1)?.event]).toEqual([200, 'start', 'error']);
      expect(joined(ending.events)).not.toBe('');
      expect(ending.events.at(-1)?.data).toMatchObject({ error: errorOf(stream, failure) });
      expectMoney(ending, { loss });
      expectNothingLeft(ending);
      const { status } = REASONS[reason];
      const firstContentMs = expect.any(Number) as number;
      expect(ending.finished).toMatchObject([{ status, reason, cost: null, attempts: 1, firstContentMs }]);
    });

    it.each(['silence', 'a cut between events', 'a reset'])(
      'with %s after any event is charged as an answer after its evidence, and cut before',
      async (name) => {
        const events = eventsOf(stream);
        const evidence = stream.evidence.map((word) => events.findLastIndex((event) => event.includes(word)));
        const isEndProof = !stream.evidence.includes('clean end');
        for (let count = 1; count <= events.length; count += 1) {
          const play = async (res: ServerResponse, delivered: Promise<void>) => {
            await begin(res, events.slice(0, count));
            if (count >= stream.opening) await delivered;
            FAULTS[name]?.play(res, { next: '', error: '' });
          };
          const {
            events: seen,
            money,
            json,
          } = await run({ stream, hasFallback: false, play, timesOut: name === 'silence' });
          const last = seen.at(-1) ?? { event: 'error', data: json };
          const isWhole = isEndProof && count > Math.max(...evidence);
          const reason = name === 'silence' ? 'upstream_timeout' : 'upstream_invalid_response';
          const expected = isWhole
            ? { event: 'done', data: { answer: whole?.answer } }
            : { event: 'error', data: { error: { reason, metadata: { phase: 'body' } } } };
          expect({ count, ...last }).toMatchObject({ count, ...expected });
          const charge = isWhole ? whole?.cost : 0n;
          expect(money).toMatchObject({ held: 0n, usages: [charge, charge] });
        }
      },
    );

    it('without its evidence counts as cut, whatever its last event', async () => {
      const [word = ''] = stream.evidence;
      const without = eventsOf(stream).filter((event) => !event.includes(word));
      const play = async (res: ServerResponse) => {
        await begin(res, without);
        res.end('data: [DONE]\n\n');
      };
      const ending = await run({ stream, hasFallback: false, play });
      const last = ending.events.at(-1) ?? { event: 'error', data: ending.json };
      const reason = 'upstream_invalid_response';
      expect(last).toMatchObject({ event: 'error', data: { error: { reason } } });
      expect(ending.money).toMatchObject({ held: 0n, usages: [0n, 0n] });
      expectNothingLeft(ending);
    });

    it('that continues after its end is read up to the end, and charged once', async () => {
      const play = async (res: ServerResponse) => {
        await begin(res, eventsOf(stream));
        res.end('data: [DONE]\n\n: bye\n\n');
      };
      const ending = await run({ stream, hasFallback: true, play });
      expect(ending.events.at(-1)).toMatchObject({ event: 'done', data: { answer: whole?.answer } });
      expect(joined(ending.events)).toBe(shown(whole?.answer));
      expectMoney(ending, { charge: whole?.cost });
      expectNothingLeft(ending);
    });

    it('with brackets that are not citation markers keeps them unchanged', async () => {
      // One provider writes its markers like an index.
      const index = providerOf(stream) === 'perplexity' ? 'm[98][99]' : 'm[1][2]';
      const prose = `e print(arr[0], arr[12]), ${index} and [99] or [2026], \`x[1]\` or <code>[1]</code> c`;
      const text = eventsOf(stream).join('').replaceAll('ehic', prose);
      const play = async (res: ServerResponse) => {
        await begin(res, []);
        res.end(text);
      };
      const ending = await run({ stream, hasFallback: true, play });
      const answer = whole?.answer.replaceAll('ehic', prose);
      expect(answer).toContain('arr[0]');
      // Positions of late markers change in a longer text.
      const shownOf = (given: unknown) => (stream.isLate ? String(given).replaceAll(/\[[12]\]/g, '') : given);
      expect(shownOf(ending.events.at(-1)?.data['answer'])).toBe(shownOf(answer));
      expect(shownOf(joined(ending.events))).toBe(shownOf(answer));
    });

    it('with broken characters in its text has replacement characters in their place', async () => {
      const bytes = Buffer.from(eventsOf(stream).join('')).toString('latin1').replaceAll('ehic', 'e\xff\xe2\x82c');
      const play = async (res: ServerResponse) => {
        await begin(res, []);
        res.end(bytes, 'latin1');
      };
      const ending = await run({ stream, hasFallback: true, play });
      const answer = whole?.answer.replaceAll('ehic', 'e\ufffd\ufffdc');
      expect(answer).toContain('\ufffd');
      expect(ending.events.at(-1)?.event).toBe('done');
      // Positions of late markers count bytes, and these characters have several.
      expect(shown(ending.events.at(-1)?.data['answer'])).toBe(shown(answer));
      expect(joined(ending.events)).toBe(shown(answer));
      expectMoney(ending, { charge: whole?.cost });
      expectNothingLeft(ending);
    });
  });
}
