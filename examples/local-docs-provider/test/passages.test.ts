import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeAnswer } from '../src/compose-answer.js';
import { docComments } from '../src/doc-comments.js';
import { createPassageIndex } from '../src/passage-index.js';
import { passagesOf } from '../src/passages.js';
import { readQuestion, termsOf } from '../src/terms.js';
import words from '../src/words.json' with { type: 'json' };

const passages = (markdown: string) => passagesOf({ source: 'shop', url: 'https://example.org/shop.md', markdown });

describe('passagesOf', () => {
  it('cites a section by the fragment GitHub gives to its heading, numbering repeated ones', () => {
    const found = passages('# Shop\n\nOne.\n\n## `open(at, [till])` & more\n\nTwo.\n\n## Twice\n\na\n\n## Twice\n\nb');
    expect(found.map(({ url }) => url.slice('https://example.org/shop.md'.length))).toEqual([
      '',
      '#openat-till--more',
      '#twice',
      '#twice-1',
    ]);
  });

  it('keeps a code example with the text before it, fenced so that nothing inside closes it', () => {
    const [passage] = passages('Open it:\n\n````ts\nconst fence = "```";\n````');
    expect(passage).toMatchObject({ text: 'Open it:', code: ['````ts\nconst fence = "```";\n````'] });
  });

  it('closes a fence that the document leaves open', () => {
    expect(passages('Open it:\n\n```ts\nopen();')[0]?.code).toEqual(['```ts\nopen();\n```']);
  });

  it('gives every row of a table and every defined entry of a list once more on its own, cells with their titles', () => {
    const found = passages(
      '| option | default |\n| --- | --- |\n| `at` | nine |\n\n- **till**: when it closes\n- no name',
    );
    expect(found.flatMap(({ name, text }) => (name === null ? [] : [[name, text]]))).toEqual([
      ['`at`', '`at` — default: nine'],
      ['till', 'till: when it closes'],
    ]);
  });

  it('turns inline Markdown into plain text without anything that looks like a marker', () => {
    const [passage] = passages(
      'See [the *guide*](https://example.org) ![logo](a.png) <br/>&amp; **more** [1], `list[1]`.',
    );
    expect(passage?.text).toBe('See the guide & more (1), `list[1]`.');
  });

  it('finds a section by other wordings of its heading, which no answer shows', () => {
    const found = passagesOf({
      source: 'shop',
      url: 'https://example.org/shop.md',
      markdown: '# Shop\n\n## Is it open?\n\nAt nine.\n\n## constructor\n\nNine.',
      wordings: { 'Is it open?': 'opening hours; when may I come' },
    });
    expect(found.map(({ text, asked }) => [text, asked.length])).toEqual([
      ['At nine.', 2],
      ['Nine.', 0],
    ]);
    const answer = composeAnswer(createPassageIndex(found), 'What are the opening hours?');
    expect(answer?.citations[0]?.url).toBe('https://example.org/shop.md#is-it-open');
    expect(answer?.text).not.toContain('may I come');
  });

  it('cuts text that is too long between sentences', () => {
    const texts = passages('This is a sentence of the document. '.repeat(60)).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(1);
    for (const text of texts) expect(text).toMatch(/^This .* document\.$/);
  });
});

describe('docComments', () => {
  it('documents what a comment stands above, by its line, and passes over internal ones', () => {
    const code =
      '/**\n * Send a response.\n *\n * @param {string} body\n * @public\n */\n\nres.send = function send(body) {\n};\n/**\n * @private\n */\nfunction own() {\n}\n';
    expect(docComments('shop', { code, url: 'https://example.org/response.js' })).toEqual([
      {
        source: 'shop',
        url: 'https://example.org/response.js#L1',
        markdown: '# res.send\n\nSend a response.\n\n- param {string} body',
      },
    ]);
  });

  it('documents members of TypeScript, but no types, and nothing that only points elsewhere', () => {
    const code =
      'export type Options = {\n  /**\n   * Most items, see {@link LRUCache.size | size}.\n   */\n  max?: Count\n  /**\n   * {@link Options.max}\n   */\n  readonly maximum: Count\n}\n/**\n * What a cache takes at its start.\n */\nexport type Start = Options\n/**\n * Forget all of the items.\n */\nclear(): void {\n';
    expect(docComments('lru', { code, url: 'https://example.org/lru.ts' })).toEqual([
      { source: 'lru', url: 'https://example.org/lru.ts#L2', markdown: '# max\n\nMost items, see `LRUCache.size`.' },
      { source: 'lru', url: 'https://example.org/lru.ts#L15', markdown: '# clear\n\nForget all of the items.' },
    ]);
  });
});

describe('terms', () => {
  it('take no telling word for an everyday one because they count as the same', () => {
    const everyday = new Set(words.slight.split(' '));
    const lines = words.sameMeaning.filter((line) => line.split(' ').some((word) => everyday.has(word)));
    expect(lines.filter((line) => !everyday.has(line.split(' ', 1)[0] ?? ''))).toEqual([]);
  });

  it('meet whether a name is written as one word or as several', () => {
    expect(termsOf('bodyTimeout')).toEqual(expect.arrayContaining(termsOf('body timeout')));
    expect(termsOf('body-timeout')).toEqual(expect.arrayContaining(termsOf('bodyTimeout')));
    expect(termsOf('PostgreSQL')).toEqual(termsOf('Postgres'));
    expect(termsOf('log in')).not.toContain(termsOf('log')[0]);
  });

  it('read a name that the documents know as one term, and another as its words', () => {
    const [whole = ''] = termsOf('bodyTimeout').slice(-1);
    const known = readQuestion('How long is bodyTimeout?', (term) => term === whole);
    expect(known).toMatchObject({ terms: expect.arrayContaining([whole]) as unknown, identifiers: [whole] });
    const unknown = readQuestion('How long is bodyTimeout?', () => false);
    expect(unknown).toMatchObject({ terms: expect.arrayContaining(termsOf('body')) as unknown, identifiers: [] });
    expect(readQuestion('Is MongoDB known?', () => true).identifiers).toEqual([]);
  });

  it('read a bounded part of a question, whatever its length', () => {
    const long = Array.from({ length: 8_000 }, (_, place) => `word${place}`).join(' ');
    expect(readQuestion(long, () => false).terms.length).toBeLessThanOrEqual(40);
  });
});

describe('any text', () => {
  it('can be a document and a question', () => {
    const markdown = fc.array(
      fc.oneof(fc.string(), fc.constantFrom('# ', '\n', '- ', '| ', '```', '`', '[1]', '**', '> ')),
    );
    fc.assert(
      fc.property(markdown, fc.string(), (parts, question) => {
        const index = createPassageIndex(passages(`# Shop\n\nOpen.\n\n${parts.join('')}`));
        for (const asked of [question, parts.join(''), `shop ${question}`]) {
          const answer = composeAnswer(index, asked);
          expect(answer?.citations.length ?? 1).toBeGreaterThan(0);
        }
      }),
    );
  });
});
