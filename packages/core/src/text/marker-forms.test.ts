import { describe, expect, it } from 'vitest';
import { bareMarker, makesNoMarker, targetEnd } from './marker-forms.js';

/** The marker that ends in the last character of a text. */
const markerAtEnd = (text: string) => bareMarker(text, text.length - 1, text.charCodeAt(text.length - 1));

describe('a marker in wide brackets', () => {
  it.each(['【1】', '【1†source】', '【1†a source [2]】', 'x【1†】'])('is %j', (text) => {
    expect(markerAtEnd(text)).toEqual({ start: text.indexOf('【'), numbers: '1' });
  });

  it.each(['【】', '【x】', '【1x】', '【1 x†source】', '\\【1】', '【1†a】b】', '【1†a\nb】', '1】'])(
    'is not %j',
    (text) => {
      expect(markerAtEnd(text)).toBeUndefined();
    },
  );
});

describe('a marker in narrow brackets', () => {
  it.each(['[1]', '[^1]', 'x[1]'])('is %j', (text) => {
    expect(markerAtEnd(text)).toEqual({ start: text.indexOf('['), numbers: '1' });
  });

  it.each(['[]', '[^]', '[1,]', '[,1]', '\\[1]', '[1', 'x]', '[1234]'])('is not %j', (text) => {
    expect(markerAtEnd(text)).toBeUndefined();
  });

  it('has at most 5,000 characters of numbers', () => {
    const numbers = Array.from({ length: 2_499 }, () => '1').join(',');
    expect(markerAtEnd(`[${numbers},22]`)).toMatchObject({ start: 0 });
    expect(markerAtEnd(`[${numbers},222]`)).toBeUndefined();
  });
});

it.each([
  ['(https://e.org)', true],
  ['(<https://e.org>)', true],
  ['(www.e.org)', true],
  ['(WWW.e.org)', true],
  ['(/path)', true],
  ['(#part)', true],
  ['{x}', true],
  ['(awww.e.org)', false],
  ['(in 1932)', false],
  ['(1:2)', false],
  [' x', false],
])('before %j a number in brackets is an argument or a link: %s', (text, isNone) => {
  expect(makesNoMarker(text, 0)).toBe(isNone);
});

describe('the target of a link', () => {
  it.each(['(https://e.org)', '(/a_(b)_c)', '(/a "title")', '(/a   "")'])('is %j', (text) => {
    expect(targetEnd(`${text}.`, 0)).toBe(text.length);
  });

  it.each([
    '[/a)',
    '(/a',
    '(/a(b)',
    '(/a((b)))',
    '(/a(b c)',
    '(/a\t"title")',
    '(/a title")',
    '(/a "title',
    '(/a "ti\ntle")',
    '(/a "title" )',
  ])('is not %j', (text) => {
    expect(targetEnd(text, 0)).toBe(0);
  });
});
