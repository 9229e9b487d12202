import { createFakeClock } from '@searchgate/testing';
import { expect, it } from 'vitest';
import { AttemptsUnderWay } from './attempts-under-way.js';

it('tells the age of the oldest attempt of each model, until it ends', async () => {
  const clock = createFakeClock();
  const underWay = new AttemptsUnderWay(clock);
  const first = underWay.begin('exa/answer');
  await clock.advance(1_000);
  const second = underWay.begin('exa/answer');
  const other = underWay.begin('exa/fast');
  await clock.advance(2_000);
  const fast = { model: 'exa/fast', ageMs: 2_000 };
  expect(underWay.oldest()).toEqual([{ model: 'exa/answer', ageMs: 3_000 }, fast]);
  underWay.end(first);
  expect(underWay.oldest()).toEqual([{ model: 'exa/answer', ageMs: 2_000 }, fast]);
  underWay.end(second);
  underWay.end(other);
  expect(underWay.oldest()).toEqual([]);
});
