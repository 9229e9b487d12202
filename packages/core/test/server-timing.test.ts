import { createFakeClock, type FakeClock } from '@searchgate/testing';
import { expect, it } from 'vitest';
import type { AnswerAdapter, Provider } from '../src/provider-kit/index.js';
import { askOverHttp } from './ask-over-http.js';
import { failure, start, streaming, whileAdvancing } from './scripted-gateway.js';

type Stream = NonNullable<AnswerAdapter['stream']>;

/** Fails as often as said, each time after 1 s. Then it sends a part after 2 s, and ends after 5 s. */
function slow(clock: FakeClock, failures: number): Provider {
  let left = failures;
  const stream: Stream = (_call, _context, live) =>
    new Promise((resolve, reject) => {
      if (left-- > 0) return clock.schedule(1_000, () => reject(failure('upstream_error')));
      clock.schedule(2_000, () => live.text('Yes, '));
      return clock.schedule(5_000, () => resolve({ text: 'Yes, in May.', citations: [], cost: {} }));
    });
  const ignored = { citations: () => undefined, text: () => undefined };
  return { ...streaming(stream), answer: { stream, answer: (call, context) => stream(call, context, ignored) } };
}

it.each([
  ['of a stream until its first part', true, 0, 'gateway;dur=0.0, upstream;dur=2000.0', 5_000],
  ['of a stream with failed attempts, and pauses, before', true, 2, 'gateway;dur=375.0, upstream;dur=4000.0', 7_000],
  ['of a whole answer until its end', false, 1, 'gateway;dur=125.0, upstream;dur=6000.0', 6_000],
])('Server-Timing counts the time %s', async (_what, stream, failures, header, upstreamMs) => {
  const clock = createFakeClock();
  const { gateway, events } = start([slow(clock, failures)], { clock });
  const { headers } = await whileAdvancing(clock, askOverHttp(gateway, { body: { stream } }), 125);
  await gateway.close();
  expect(headers['server-timing']).toBe(header);
  expect(events.find(({ type }) => type === 'request_finished')).toMatchObject({ upstreamMs });
});
