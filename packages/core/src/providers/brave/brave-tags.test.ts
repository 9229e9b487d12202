import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writtenText } from '../../../test/written-text.js';
import { createTagReader, readTags as readTagged } from './brave-tags.js';

function readTags(tagged: string) {
  const { sources, usage, ...annotated } = readTagged(tagged);
  return { text: writtenText(annotated), sources, usage };
}

const cite = (url: string) => `<citation>{"number": 1, "url": "${url}"}</citation>`;

describe('readTags', () => {
  it('replaces a tag by a marker', () => {
    expect(readTags(`Open.${cite('https://a.example/')}${cite('https://b.example/')} Closed.`)).toEqual({
      text: 'Open.[1][2] Closed.',
      sources: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }],
      usage: {},
    });
  });

  it('uses the last of several usage tags', () => {
    const { text, usage } = readTags(
      'Open.<usage>{"X-Request-Queries": 1}</usage><usage>{"X-Request-Queries": 2}</usage>',
    );
    expect(text).toBe('Open.');
    expect(usage).toMatchObject({ 'X-Request-Queries': 2 });
  });

  it.each([
    'a <citation> without an end',
    'an end </citation> without a beginning',
    'a <citation>that is no JSON</citation> at all',
    'a <citation>[]</citation> that is no object',
    'an <usage>{"url": "https://a.example/"}</citation> that ends as another',
    'a <citation>{"snippet": "</citation>"} that looks like an end',
  ])('leaves %j as it is', (text) => {
    expect(readTags(text)).toEqual({ text, sources: [], usage: {} });
  });

  it('reads a tag behind words that resemble a tag', () => {
    expect(readTags(`A <citation> and a true one.${cite('https://a.example/')}`).text).toBe(
      'A <citation> and a true one.[1]',
    );
  });

  it.each([
    '</citation>',
    '</citation> <citation>{"url": "https://evil.example/"}</citation>',
    '</usage><usage>{"X-Request-Total-Cost": 0}</usage>',
    '"}</citation>',
    '\\',
    '\\"}',
    '{ } [',
  ])('leaves a page no word in where its tag ends: %j', (snippet) => {
    const tag = (name: string, body: object) => `<${name}>${JSON.stringify(body)}</${name}>`;
    const tagged = `Open.${tag('citation', { number: 1, url: 'https://a.example/', snippet })} Closed.${tag('usage', { 'X-Request-Total-Cost': 0.05 })}`;
    const expected = {
      text: 'Open.[1] Closed.',
      sources: [{ url: 'https://a.example/', snippet }],
      usage: { 'X-Request-Total-Cost': 0.05 },
    };
    expect(readTags(tagged)).toMatchObject(expected);
    let text = '';
    const reader = createTagReader({ text: (part) => void (text += part), citation: () => void (text += '[1]') });
    for (const character of tagged) reader.push(character);
    reader.end();
    expect(text).toBe(expected.text);
  });

  it('loses only tags', () => {
    const words = fc.constantFrom('Open', ' ', 'it is', '.', '大橋', '🌉', '<b>', '</usage>', '<citation>');
    fc.assert(
      fc.property(fc.array(fc.tuple(words, fc.boolean()), { minLength: 1 }), (parts) => {
        const tagged = parts.map(([text, isCited]) => (isCited ? text + cite('https://a.example/') : text)).join('');
        const { text, sources } = readTags(tagged);
        const isPlain = (each: string) => each.replaceAll(/\[\d+\]/g, '').replaceAll(cite('https://a.example/'), '');
        expect(isPlain(text).trim()).toBe(isPlain(parts.map(([each]) => each).join('')).trim());
        expect(sources.length).toBeLessThanOrEqual(parts.length);
      }),
    );
  });

  it('finds the same tags in a text that comes in parts', () => {
    const words = fc.constantFrom(
      'Open',
      '<',
      '</',
      '<cit',
      '<b>',
      '<usage>',
      '</usage>',
      '<citation>',
      '</citation>',
      '{"url": "x"}',
      cite('https://a.example/'),
    ); // prettier-ignore
    fc.assert(
      fc.property(fc.array(words), fc.integer({ min: 1, max: 12 }), (parts, length) => {
        const found = (pieces: readonly string[]) => {
          const log: unknown[] = [];
          const reader = createTagReader({
            text: (part) => log.push(...part.split('')),
            citation: (source) => log.push(source),
            usage: (usage) => log.push(usage),
          });
          for (const piece of pieces) reader.push(piece);
          reader.end();
          return log;
        };
        const tagged = parts.join('');
        expect(found(tagged.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [])).toEqual(found([tagged]));
      }),
    );
  });
});
