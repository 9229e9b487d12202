import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writtenText } from '../../test/written-text.js';
import { withoutParameter } from '../text/page-url.js';
import { citedText as annotated, type CitedTextOptions } from './responses-citations.js';
import { type ReadableReply, responsesReply } from './responses-reply.js';

function citedText(replied: ReadableReply, options?: CitedTextOptions) {
  const { sources, ...cited } = annotated(replied, options);
  return { text: writtenText(cited, sources.length), sources };
}

const A = 'https://a.example/lakes';
const B = 'https://www.b.example/deepest';

interface Cited {
  readonly url?: string | null;
  readonly title?: string | null;
  readonly start_index?: number;
  readonly end_index?: number;
}

const reply = (...parts: readonly (readonly [string, ...Cited[]])[]) =>
  responsesReply.parse({
    output: [
      {
        type: 'message',
        content: parts.map(([text, ...cited]) => ({
          type: 'output_text',
          text,
          annotations: cited.map((each) => ({ type: 'url_citation', ...each })),
        })),
      },
    ],
  });

describe('citedText', () => {
  it('puts markers in place of links, wherever the offsets point', () => {
    const text = `🌊 It is deep. ([a.example](${A})) It is old ([Old lakes](${B})).`;
    const cited = [
      { url: A, title: 'Lakes', start_index: 12, end_index: 20 },
      { url: B, title: 'Deepest' },
    ];
    expect(citedText(reply([text, ...cited]))).toEqual({
      text: '🌊 It is deep. [1] It is old [2].',
      sources: [
        { url: A, title: 'Lakes' },
        { url: B, title: 'Deepest' },
      ],
    });
  });

  it('replaces a marker that is no link by its offsets, and inserts after other text', () => {
    const bare = `It is deep (${A}).`;
    expect(citedText(reply([bare, { url: A, start_index: 11, end_index: bare.length - 1 }])).text).toBe(
      'It is deep [1].',
    );
    const artefact = 'It is deep\ue200cite\ue202turn0search1\ue201, and old\ue200cite\ue202turn0search2\ue201.';
    expect(citedText(reply([artefact, { url: A, start_index: 10, end_index: 27 }])).text).toBe(
      'It is deep[1], and old.',
    );
    expect(citedText(reply(['It is deep.', { url: A, start_index: 0, end_index: 11 }])).text).toBe('It is deep.[1]');
  });

  it.each([
    ['two rows of back-quotes', `\`\`\ue200x\ue201\`[[1]](${B})\``],
    ['a bracket and a number', 'In a[\ue200x\ue2011].'],
    ['a line and a fence', '\ue200x\ue201```\n[1]\n```\n[1]'],
    ['code and its end', '```\n``\ue200x\ue201`\n[1]'],
  ])('does not take %s around an artefact for a marker', (_what, text) => {
    const written = citedText(reply([text])).text;
    expect(written).not.toContain('\ue200');
  });

  it('does not take the text around a parameter of the vendor for a marker', () => {
    const options = { clean: (text: string) => withoutParameter(text, 'utm_source=openai') };
    const text = '``?utm_source=openai`[1]` and a[1?utm_source=openai].';
    expect(citedText(reply([text]), options).text).toBe(text);
  });

  it('puts no marker into a word, even if offsets count in another unit', () => {
    // In code points, so one too few.
    const given = reply(['🌊 It is deep, and old.', { url: A, start_index: 0, end_index: 12 }]);
    expect(citedText(given).text).toBe('🌊 It is deep[1], and old.');
  });

  it('lists sources without a place', () => {
    expect(citedText(reply(['It is deep.', { url: A, start_index: 0, end_index: 0 }, { url: B }]))).toEqual({
      text: 'It is deep.',
      sources: [{ url: A }, { url: B }],
    });
  });

  it('cites an address once, with its first meaningful title', () => {
    const cited = [
      { url: ` ${A} `, title: '1' },
      { url: A, title: A },
      { url: A, title: 'Lakes' },
      { url: A, title: 'More lakes' },
    ];
    const { text, sources } = citedText(reply([`Deep [[1]](${A}) and old [[2]](${A}).`, ...cited]));
    expect(text).toBe('Deep [1] and old [1].');
    expect(sources).toEqual([{ url: A, title: 'Lakes' }]);
  });

  it('numbers sources across parts and messages', () => {
    const parts = reply([`It is deep ([a](${A})). `, { url: A }], [`It is old ([b](${B}), [a](${A})).`, { url: B }]);
    expect(citedText(parts).text).toBe('It is deep [1]. It is old [2][1].');
  });

  it('removes the vendor’s parameters from addresses', () => {
    const tracked = `${A}?utm_source=openai`;
    const options = { clean: (text: string) => withoutParameter(text, 'utm_source=openai') };
    const given = reply([
      `See [the lakes](${tracked}), or ([a](${tracked})) or [c](https://c.example/?utm_source=openai).`,
      { url: tracked },
    ]);
    expect(citedText(given, options)).toMatchObject({
      text: `See [the lakes](${A})[1], or [1] or [c](https://c.example/).`,
      sources: [{ url: A }],
    });
  });

  it('cites other addresses when the reply has no annotations', () => {
    const options = { otherwise: [B, A] };
    expect(citedText(reply([`It is deep.[[9]](${A})`]), options)).toEqual({
      text: 'It is deep.[2]',
      sources: [{ url: B }, { url: A }],
    });
    expect(citedText(reply(['It is deep.', { url: A }]), options).sources).toEqual([{ url: A }]);
  });

  it('ignores annotations that are no addresses, and leaves numbers that are no markers', () => {
    const given = reply(['In a[1].', { url: null }, { url: '' }]);
    given.output?.[0]?.content?.[0]?.annotations?.push({ type: 'file_citation', url: A });
    expect(citedText(given)).toEqual({ text: 'In a[1].', sources: [] });
  });

  it('reads any text as if artefacts had never been in it', () => {
    const words = fc.array(
      fc.constantFrom(
        'a',
        ' ',
        '\n',
        '`',
        '``',
        '```',
        '~~~',
        '[',
        ']',
        '1',
        '[1]',
        '【1】',
        '(',
        '{',
        '\ue200x\ue201',
      ),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(words, (parts) => {
        const [whole, without] = [parts, parts.filter((part) => !part.startsWith('\ue200'))];
        // Except for the space around them.
        const wordsOf = (given: readonly string[]) =>
          citedText(reply([given.join(''), { url: A }])).text.replaceAll(' ', '');
        expect(wordsOf(whole)).toBe(wordsOf(without));
      }),
      { numRuns: 500 },
    );
  });

  it('points to its sources and nowhere else, for any annotations', () => {
    const words = fc.array(
      fc.constantFrom('deep ', '🌊', `([a](${A}))`, `[[1]](${B})`, '[2]', '\n', '`', '``', '```', '\ue200x\ue201'),
    );
    const cited: fc.Arbitrary<Cited> = fc.record({
      url: fc.constantFrom(A, B, null),
      start_index: fc.integer({ min: -5, max: 80 }),
      end_index: fc.integer({ min: -5, max: 80 }),
    });
    fc.assert(
      fc.property(words, fc.array(cited, { maxLength: 5 }), (parts, annotations) => {
        const { text, sources } = citedText(reply([parts.join(''), ...annotations]));
        expect(text).not.toMatch(/\ue201/);
        expect(new Set(sources.map(({ url }) => url)).size).toBe(sources.length);
      }),
    );
  });
});
