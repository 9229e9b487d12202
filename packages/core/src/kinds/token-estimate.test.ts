import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputLimit, likelyTokens, measureTexts } from './token-estimate.js';

const characters = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => String.fromCodePoint(from + at)).join('');
const rows = Array.from({ length: 60 }, (_, at) => `${(at * 7_919) % 9_973},${at % 2},,${((at * 37) % 100) / 8};`);

/**
 * The highest count of seven tokenizers, run on 2026-11-28: cl100k and o200k (npm gpt-tokenizer 4.0.0), Llama 2, also after NFKC (llama-tokenizer-js 1.2.2), Llama 3
 * (llama3-tokenizer-js 1.2.0), Mistral (mistral-tokenizer-js 1.0.0), Claude (@anthropic-ai/tokenizer 0.0.4). Those of WordPiece make a token of a character or
 * more; those that know bytes make a token of a byte or more.
 */
const KINDS: readonly (readonly [kind: string, text: string, tokens: number])[] = [
  ['English', 'The Zephyr Bridge opened in May 2021 and carries about 40,000 vehicles a day. '.repeat(20), 562],
  ['JSON', '{"id":17,"tags":["a","b"],"at":{"x":-1.5,"y":null},"ok":true}'.repeat(20), 661],
  ['code', 'for(let i=0;i<n;++i){if(!(a[i]&1))s+=a[i]<<2;}\n\t\treturn s??0;\n'.repeat(20), 841],
  ['CSV', rows.join('\n'), 783],
  ['base64', 'q83vEjRWeJq7zN3u/wARIjNEVWZ3iJmqu8zd7v8='.repeat(20), 701],
  ['emoji', '👩‍👩‍👧‍👦🏳️‍🌈🫠🧑🏽‍🚀🪿🇳🇵'.repeat(20), 1_162],
  ['Korean', '제피르 다리는 2021년 5월에 개통되었습니다. '.repeat(20), 782],
  ['Chinese', '西风大桥于二〇二一年五月通车，每天约有四万辆车。𠮷𡨸'.repeat(20), 882],
  ['Japanese', 'ゼファー橋は2021年5月に開通しました。ﾊﾝｶｸ㌔㍍'.repeat(20), 782],
  ['Arabic', 'افتتح جسر زفير في مايو ٢٠٢١. بِسْمِ ٱللَّهِ ﷺ '.repeat(20), 1_380],
  ['Hindi', 'ज़ेफ़िर पुल मई २०२१ में खुला। क्ष्म्य '.repeat(20), 1_002],
  ['Thai', 'สะพานเซเฟอร์เปิดในเดือนพฤษภาคม ทำน้ำ'.repeat(20), 1_261],
  ['hex', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b'.repeat(20), 722],
  ['addresses', 'https://example.org/a/b%20c?q=x&r=%E6%A9%8B&utm_id=Zx9#k '.repeat(20), 782],
  ['whitespace', ' \t\n\u00a0\u3000\r\n  \u200b\u2028'.repeat(40), 481],
  ['digits', '31415926535897932384626433832795٠١٢٣⁴⁵①②'.repeat(20), 1_042],
  ['combining marks', 'e\u0301a\u030au\u0308\u1112\u1161\u11ab\u0b47\u0b3e'.repeat(40), 920],
  ['compatibility forms', 'ﷺﷲ㌀㍿ﬃ½㏂Ａｂ𝐀𝟗ŉ⑳㈝'.repeat(20), 942],
  [
    'control characters',
    `${characters(0, 0x20)}${characters(0x7f, 0xa0)}${'\ufeff\ufffd\ue000\u{10fffd}'.repeat(20)}`,
    293,
  ],
  ['mixed', 'Zephyr橋🌉{"π":3.14}\t제피르—ﬁn Ω≈√ 0xFFﷺ'.repeat(20), 1_001],
  ['Zalgo', `Z${characters(0x300, 0x330)}o${characters(0x316, 0x346)}`.repeat(8), 1_560],
  ['one character', '\ufdfa', 18],
];

describe('the most tokens of a text', () => {
  it.each(KINDS)('of %s are no fewer than tokenizers count, which a token for 3 bytes is', (_kind, text, tokens) => {
    expect(measureTexts([text])[0]?.most).toBeGreaterThanOrEqual(tokens);
    expect(Math.ceil(Buffer.byteLength(text) / 3)).toBeLessThan(tokens);
  });

  it('are a token for each byte of the text, and of its compatibility form, and 8 more', () => {
    // Marks that take a composed character apart.
    const units = Array.from('ǖạ́ṩΰᾧㆎㄲ가각ｶﾞ\u0323\u0301\u0327\u0331\u0345\u3099\u093c\u0344');
    const marked = fc.string({ unit: fc.constantFrom(...units) });
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), marked)), (texts) => {
        for (const [at, { likely, most }] of measureTexts(texts).entries()) {
          const text = texts[at]!;
          const bytes = Math.max(Buffer.byteLength(text), Buffer.byteLength(text.normalize('NFKC')));
          expect(most).toBeGreaterThanOrEqual(bytes + 8);
          expect(likely).toBe(likelyTokens(text));
          expect(likely).toBeLessThanOrEqual(most);
        }
      }),
    );
    expect(measureTexts(['a'.repeat(100)])).toEqual([{ likely: 25, most: 108 }]);
  });

  it('are measured without the form of the whole text, whose making takes minutes', () => {
    const marks = `a${'\u0301\u0316'.repeat(500_000)}`;
    expect(measureTexts([marks])[0]?.most).toBe(Buffer.byteLength(marks) + 8);
  });

  it.each([
    [{ maxInputTokens: 512, contextLength: 1_024 }, 512],
    [{ contextLength: 1_024 }, 1_024],
    [{ contextLength: null }, Number.POSITIVE_INFINITY],
    [{ maxInputTokens: 0 }, Number.POSITIVE_INFINITY],
    [{ maxInputTokens: Number.NaN }, Number.POSITIVE_INFINITY],
  ])('are at most what a model of %o reads', (model, limit) => {
    expect(inputLimit(model)).toBe(limit);
  });
});
