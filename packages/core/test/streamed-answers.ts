import { expect } from 'vitest';
import type { AnswerOutcome } from '../src/provider-kit/provider.js';
import { unmarkedText } from '../src/text/own-markers.js';
import type { LiveRun } from './live-parts-of.js';

/** A text in pieces of `length` characters, which may split surrogate pairs. */
export const piecesOf = (text: string, length = 7) => text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];

/** Expects a prefix of the answer, with or without its markers, and a prefix of its citations. */
export function expectBeginning(run: LiveRun, answer: AnswerOutcome): void {
  expect(run.outcome).toEqual(answer);
  const { text, citations } = answer;
  const whole = text.startsWith(run.text) ? text : unmarkedText(answer);
  expect(whole.slice(0, run.text.length)).toBe(run.text);
  const urls = run.citations.map(({ url }) => url);
  expect(citations.map(({ url }) => url).slice(0, urls.length)).toEqual(urls);
}
