import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { RequestError } from '../base/errors/request-error.js';
import { type AnswerEvent, AnswerEventQueue } from './answer-events.js';
import type { Answer } from './answer-reply.js';
import type { RequestState } from './handle-request-lifecycle.js';

const HEAD = { id: 'ans_1', model: 'exa/answer', provider: 'exa' };
const ANSWER: Answer = { ...HEAD, answer: 'In May.', usage: { cost: 0.005 } };
const SOURCE = { title: 'A', url: 'https://example.org/', snippet: '' };
const REFUSED = new RequestError('overloaded');

/** A call whose end the test decides. */
function pending() {
  let end: (outcome: Answer | Error) => void = () => undefined;
  const call = new Promise<Answer>((resolve, reject) => {
    end = (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome));
  });
  return { begin: () => call, end: (outcome: Answer | Error) => end(outcome) };
}

async function rest(events: AsyncIterable<AnswerEvent>): Promise<unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const event of events) seen.push(event);
  } catch (error) {
    seen.push(error);
  }
  return seen;
}

describe('the events of an answer', () => {
  it('come in the order in which they were written, and end with the answer', async () => {
    const queue = new AnswerEventQueue(createFakeClock());
    const { begin, end } = pending();
    const seen = rest(queue.iterate(begin));
    queue.start(HEAD);
    queue.citations([SOURCE]);
    queue.delta('In ');
    queue.delta('May.');
    end(ANSWER);
    expect(await seen).toEqual([
      { type: 'start', ...HEAD },
      { type: 'citations', citations: [SOURCE] },
      { type: 'delta', text: 'In ' },
      { type: 'delta', text: 'May.' },
      { type: 'done', answer: ANSWER },
    ]);
  });

  it('wake a loop that waits for the next one', async () => {
    const queue = new AnswerEventQueue(createFakeClock());
    const { begin, end } = pending();
    const loop = queue.iterate(begin);
    const first = loop.next();
    await Promise.resolve();
    queue.delta('In ');
    expect(await first).toEqual({ done: false, value: { type: 'delta', text: 'In ' } });
    const last = loop.next();
    await Promise.resolve();
    end(ANSWER);
    expect(await last).toMatchObject({ value: { type: 'done' } });
    expect(await loop.next()).toEqual({ done: true, value: undefined });
  });

  it('do not change when the list of sources grows', async () => {
    const queue = new AnswerEventQueue(createFakeClock());
    const sources = [SOURCE];
    const loop = queue.iterate(() => Promise.resolve(ANSWER));
    queue.citations(sources);
    sources.push(SOURCE);
    expect((await loop.next()).value).toEqual({ type: 'citations', citations: [SOURCE] });
  });

  it.each([
    ['is thrown before the start', false, REFUSED, [REFUSED]],
    ['is the last event after the start', true, REFUSED, [{ type: 'error', error: REFUSED }]],
    ['is thrown after the start when it is no refusal', true, new TypeError('broken'), [new TypeError('broken')]],
  ])('an error %s', async (_where, hasStarted, error, expected) => {
    const queue = new AnswerEventQueue(createFakeClock());
    const { begin, end } = pending();
    const seen = rest(queue.iterate(begin));
    await Promise.resolve();
    if (hasStarted) queue.start(HEAD);
    end(error);
    expect((await seen).slice(hasStarted ? 1 : 0)).toEqual(expected);
  });

  it('end with the last event', async () => {
    const queue = new AnswerEventQueue(createFakeClock());
    const loop = queue.iterate(() => Promise.resolve(ANSWER));
    expect((await loop.next()).value).toMatchObject({ type: 'done' });
    queue.delta('late');
    expect(await rest(loop)).toEqual([]);
  });

  it('set the time of the first event on the call', async () => {
    const clock = createFakeClock();
    const queue = new AnswerEventQueue(clock);
    const state = { firstContentMs: null } as RequestState;
    queue.state = state;
    await clock.advance(70);
    queue.start(HEAD);
    expect(state.firstContentMs).toBe(clock.monotonic());
  });
});
