import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CitedPiece } from '../text/annotated-text.js';
import { joinSegments } from '../text/cited-segments.js';
import { composeAnswer } from './compose-answer.js';
import { liveParts } from './live-parts.js';
import { LiveSegments } from './live-segments.js';

/** The urls each piece cites. */
type Segment = readonly { readonly text: string; readonly urls: readonly number[] }[];

const sourceOf = (n: number) => ({ url: `https://example.org/${n}` });

/** The result of these segments. `isKnown`: citations are announced before their text. */
function live(segments: readonly Segment[], isKnown: boolean) {
  const parts: string[] = [];
  let urls: string[] = [];
  const text = new LiveSegments(
    liveParts(
      {
        text: (part) => parts.push(part),
        citations: (citations) => (urls = citations.map(({ url }) => url)),
      },
      { numbersAreWords: true },
    ),
  );
  for (const [index, segment] of segments.entries()) {
    if (index > 0) text.next();
    for (const piece of segment) {
      const early = isKnown ? piece.urls.map((n) => text.addSource(sourceOf(n))) : [];
      if (early.length > 0) text.keep();
      for (const character of piece.text) text.text(character);
      text.cite(isKnown ? early : piece.urls.map((n) => text.addSource(sourceOf(n))));
    }
  }
  return { parts, urls, text: parts.join('') };
}

function whole(segments: readonly Segment[]) {
  const sources: { url: string }[] = [];
  const pieces = segments.map((segment) =>
    segment.map(({ text, urls }): CitedPiece => ({ text, positions: urls.map((n) => sources.push(sourceOf(n))) })),
  );
  const { text, marks } = joinSegments(pieces);
  return composeAnswer({ text: `${text}\nend`, marks, sources, cost: {} });
}

const texts = fc
  .array(fc.constantFrom('It is', ' open', '.', ' ', '\n', '(', ')', '[1]', '[', '`a`', '`', '😀', ''), {
    maxLength: 4,
  })
  .map((all) => all.join(''));
const segments = fc.array(
  fc.array(fc.record({ text: texts, urls: fc.array(fc.nat(4), { maxLength: 2 }) }), { maxLength: 4 }),
  { maxLength: 5 },
);

describe('segments that come in parts', () => {
  it('are the beginning of the whole answer', () => {
    fc.assert(
      fc.property(segments, fc.boolean(), (all, isKnown) => {
        // An uncited segment at the end stays, which only the end shows.
        const answer = whole([...all, [{ text: '', urls: [] }]]);
        const run = live(all, isKnown);
        expect(answer.text.slice(0, run.text.length)).toBe(run.text);
        expect(answer.citations.map(({ url }) => url)).toEqual(run.urls);
      }),
      { numRuns: 1_000 },
    );
  });

  it('leave out text before the use of a tool, and come as soon as they cite a source', () => {
    const { parts } = live(
      [
        [{ text: 'Let me look.', urls: [] }],
        [
          { text: 'So ', urls: [] },
          { text: 'it is open', urls: [1] },
          { text: ' now', urls: [] },
        ],
      ],
      false,
    );
    expect(parts).toEqual(['So it is open', '[1]', ' n', 'o', 'w']);
  });

  it('come word by word once it is known that they will cite', () => {
    const { parts } = live([[{ text: 'So it', urls: [1] }]], true);
    expect(parts).toEqual(['S', 'o', ' i', 't']);
  });

  it('hand over nothing after 5,000 sources, the limit of a whole reply', () => {
    const all = [Array.from({ length: 5_010 }, (_, n) => ({ text: 'a ', urls: [n % 9] }))];
    const { text, urls } = live(all, false);
    expect(urls).toHaveLength(9);
    const { length } = text.replaceAll(/[^a]/g, '');
    expect(length).toBeGreaterThan(4_990);
    expect(length).toBeLessThan(5_005);
  });
});
