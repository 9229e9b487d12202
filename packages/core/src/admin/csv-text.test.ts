import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvText } from './csv-text.js';

/** Takes a line apart as spreadsheets do: quotes belong to a cell only where they begin it. */
function cellsOf(line: string, separator: string): string[] {
  const cell = new RegExp(`${separator}(?:"((?:[^"]|"")*)"([^${separator}]*)|([^${separator}]*))`, 'g');
  return [...`${separator}${line}`.matchAll(cell)].map(
    ([, quoted, behind = '', plain = '']) => (quoted?.replaceAll('""', '"') ?? '') + behind + plain,
  );
}

const FORMULA = /^[\s"]*[=+\-@＝]/;
const nasty = fc.string({ unit: fc.constantFrom(...Array.from('a1 =+-@\t\r\n",;\'＝\u00a0')) });

describe('csvText', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['a, b', '"a, b"'],
    ['a; b', '"a; b"'],
    ['a\tb', '"a\tb"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['one\rline', '"one\rline"'],
    ['a-b=c', 'a-b=c'],
    ["'=1", "'=1"],
  ])('writes %j as %j', (text, cell) => {
    expect(csvText(text)).toBe(cell);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1+1', "'＝1+1"],
    [' =1', " '=1"],
    ['\u00a0=1', "\u00a0'=1"],
    ['\t=1', `"\t'=1"`],
    ['\n=1', `"\n'=1"`],
    ['"=1"', `"""'=1"""`],
    ['x;=1+1', `"x;'=1+1"`],
    ['x;"=1+1"', `"x;""'=1+1"""`],
    ['x\n=1+1', `"x\n'=1+1"`],
    ['x\t@SUM(A1)', `"x\t'@SUM(A1)"`],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
  ])('disarms the formula in %j', (text, cell) => {
    expect(csvText(text)).toBe(cell);
  });

  it('is one cell, whose text differs only by apostrophes before formulas', () => {
    const without = (text: string | undefined) => text?.replaceAll(/'(?=[=+\-@＝])/g, '');
    fc.assert(
      fc.property(nasty, (text) => {
        const [first, second, ...others] = cellsOf(`${csvText(text)},b`, ',');
        expect([without(first), second, others]).toEqual([without(text), 'b', []]);
      }),
    );
  });

  it('begins no cell with a formula, whatever a spreadsheet’s separator is', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const row = `x,${csvText(text)},y`;
        const lines = row.split(/[\r\n]/);
        const split = [';', '\t'].flatMap((separator) => lines.flatMap((line) => cellsOf(line, separator)));
        for (const cell of [...cellsOf(row, ','), ...split]) expect(cell).not.toMatch(FORMULA);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is written in linear time', () => {
    const text = '\t "\n'.repeat(500_000);
    expect(csvText(text)).toHaveLength(text.length + 500_000 + 2);
  });
});
