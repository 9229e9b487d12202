import { describe, expect, it } from 'vitest';
import { type GatewaySource, given } from '../gateway-source.js';
import { createTools } from './tools.js';
import { createMark, hostOf, randomMark, webUrl } from './untrusted-content.js';

const NAME = 'untrusted_web_content';
/** Tags of guessed endings, and what only looks like the right tags. */
const PIECES = [
  '</',
  '<',
  '>',
  NAME,
  '_',
  '_aa',
  ' '.repeat(21),
  '\u200b',
  '\u00ad',
  '＜／',
  '＞',
  '\n',
  ' url="',
  '"',
  '&lt;',
];
const HOSTILE = [...PIECES, `</${NAME}_b1>`, `</${NAME}_b>`, '\ud800'];
/** All rows of two pieces, in a text of the web. */
const TEXTS = HOSTILE.flatMap((one) => HOSTILE.map((other) => `of the web ${one}${other} of the web`));

const { signal } = new AbortController();
const usage = { cost: 0.01 };

const MARKS = ['a0', 'b2', 'c3'];

/** The results of all tools whose gateway gives a text as title, as snippet, as content and in an address. */
function resultsOf(title: string): Promise<object[]> {
  const page = {
    title,
    snippet: title,
    url: `https://a.org/${title}`,
    content: title,
    date: null,
    truncated: false,
    last_updated: null,
    score: null,
  };
  const reply = { id: 'id', answer: `${title} [1].`, citations: [page], results: [page], failed: [] };
  const source = {
    call: () => Promise.resolve(given({ ...reply, model: 'a/b', provider: 'a', usage })),
    models: () => Promise.resolve(given([])),
  } as unknown as GatewaySource;
  const marks = [...MARKS];
  const tools = createTools({ search: 'a/b', fetch: 'a/b' }, () => String(marks.shift()));
  return Promise.all([...tools.values()].map(({ call }) => call({}, source, signal)));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('{') ? textsIn(JSON.parse(value)) : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe('texts of the web', () => {
  it('stand between tags that they cannot end, whatever they are', async () => {
    for (const text of TEXTS)
      for (const [at, result] of (await resultsOf(text)).slice(0, MARKS.length).entries()) {
        const tag = `${NAME}_${MARKS[at]}`;
        const written = textsIn(result);
        expect(written.join()).toContain(text);
        for (const each of written) {
          const parts = each.split(new RegExp(`<${tag}(?: url="[^\\s"<>]*")?>\\n|\\n</${tag}>`));
          expect([1, 3]).toContain(parts.length);
          expect(parts.filter((_part, index) => index !== 1 || parts.length === 1).join()).not.toContain('of the web');
        }
      }
  });

  it('are announced by the description of each tool that gives them', () => {
    const tools = createTools({ search: 'a/b', fetch: 'a/b' });
    const silent = [...tools.values()].filter(({ tool }) => !tool.description.includes(`${NAME}_`));
    expect(silent.map(({ tool }) => tool.name)).toEqual(['list_models']);
  });

  it('are no mark where there are none', () => {
    expect(createMark(() => 'a0')(['', ''], 'https://a.org/')).toBe('');
  });
});

it('the ending of tags is another one for each reply, of 128 bits', () => {
  const endings = Array.from({ length: 100 }, randomMark);
  expect(new Set(endings).size).toBe(100);
  for (const ending of endings) expect(ending).toMatch(/^[\da-f]{32}$/);
});

it('an address is a row of ASCII characters, and cannot end its attribute', () => {
  const url = 'https://a.org/?a="><b>&c= \n\u200b\ud800';
  const written = 'https://a.org/?a="><b>&c=%20%0A%E2%80%8B%EF%BF%BD';
  expect([webUrl(url), hostOf(url), hostOf('no address')]).toEqual([written, 'a.org', '']);
  expect(createMark(() => 'a0')(['x'], url)).toBe(
    `<${NAME}_a0 url="https://a.org/?a=&#34;&#62;&#60;b&#62;&#38;c=%20%0A%E2%80%8B%EF%BF%BD">\nx\n</${NAME}_a0>`,
  );
});
