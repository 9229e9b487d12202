import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Inline, parseInline } from './inline.js';

const text = (value: string): Inline => ({ kind: 'text', text: value });
const LONG = 100_000;

/** What a reader sees of the parts. */
function shown(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (part.kind === 'bold') return shown(part.children);
      return part.kind === 'marker' ? `[${part.source}]` : part.text;
    })
    .join('');
}

describe('parseInline', () => {
  it.each<[string, Inline[]]>([
    ['plain <b>text</b> & more', [text('plain <b>text</b> & more')]],
    ['a **b `c`** d', [text('a '), { kind: 'bold', children: [text('b '), { kind: 'code', text: 'c' }] }, text(' d')]],
    ['open [1][23].', [text('open '), { kind: 'marker', source: 1 }, { kind: 'marker', source: 23 }, text('.')]],
    ['[a b](https://example.org/x)', [{ kind: 'link', text: 'a b', url: 'https://example.org/x' }]],
    ['[1](https://example.org/x)', [{ kind: 'link', text: '1', url: 'https://example.org/x' }]],
    ['`[1] **x**`', [{ kind: 'code', text: '[1] **x**' }]],
  ])('reads %s', (source, parts) => {
    expect(parseInline(source)).toEqual(parts);
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](data:text/html,x)',
    '[x](//example.org)',
    '[x](https://)',
    '**open',
    '`open',
    '****',
    '[',
    '[1234]',
    '[x](https://example.org',
  ])('leaves %s as text', (source) => {
    expect(parseInline(source)).toEqual([text(source)]);
  });

  it('shows every character of what has no marks', () => {
    const piece = fc.constantFrom('a', ' ', '<', '[', ']', '[1]', '[12]', '(', ')', 'https://x.y', '\n', '*');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const source = pieces.join('').replace(/\]\(|\*\*+/g, '');
        expect(shown(parseInline(source))).toBe(source);
      }),
    );
  });

  // Quadratic time would take minutes.
  it.each(['[', '**', '`', '[a', '[a](http://', '[a](http://b', '**a', '`**', '*`', '[1'])(
    'reads %s a hundred thousand times over',
    (piece) => {
      const source = piece.repeat(LONG);
      expect(shown(parseInline(source)).length).toBeLessThanOrEqual(source.length);
    },
  );
});
