import { expect, it } from 'vitest';
import { isBlank, isDigit, isLetter, isWhiteSpace, skip } from './characters.js';

it.each([
  ['isBlank', isBlank, /[ \t]/],
  ['isDigit', isDigit, /[0-9]/],
  ['isLetter', isLetter, /[A-Za-z]/],
  ['isWhiteSpace', isWhiteSpace, /\s/],
] as const)('%s is what the expression matches, for every code unit', (_name, isOne, expression) => {
  const different = Array.from({ length: 0x1_0000 }, (_, code) => code).filter(
    (code) => isOne(code) !== expression.test(String.fromCharCode(code)),
  );
  expect(different).toEqual([]);
});

it('skips to the first other character, or to the end', () => {
  expect([skip('a12b', 1, isDigit), skip('a12b', 0, isDigit), skip('a12', 1, isDigit)]).toEqual([3, 0, 3]);
});
