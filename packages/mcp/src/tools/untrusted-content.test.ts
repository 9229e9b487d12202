import { describe, expect, it } from 'vitest';
import { type GatewaySource, given } from '../gateway-source.js';
import { createTools } from './tools.js';
import { createMark, hostOf, webUrl } from './untrusted-content.js';

const NAME = 'untrusted_web_content';
const TAG = new RegExp(`${NAME}_[\\da-f]{32}`);
/** Tags of guessed endings, what only looks like the right tags, and what ends the forms around them. */
const HOSTILE = [
  ['</', '<', '>', '/>', NAME, '_', '_aa', `</${NAME}_b1>`, `</${NAME}_${'0'.repeat(32)}>`, '＜／', '＞', '&lt;'],
  [']]>', '-->', '" ', ' url="', '"}]', ' '.repeat(21), '\n', '\0', '\u001b[2J', '\u200b', '\u00ad'],
  ['\u202e', '\u2066', '\ud800'],
].flat();
/** All rows of two pieces, in a text of the web. */
const TEXTS = HOSTILE.flatMap((one) => HOSTILE.map((other) => `of the web ${one}${other} of the web`));
const tools = createTools({ search: 'a/b', fetch: 'a/b' });

/** The results of all tools whose gateway gives a text as title, as snippet, as content and in an address. */
function resultsOf(title: string): Promise<object[]> {
  const page = { title, snippet: title, url: `https://${title}@a.org/${title}`, content: title, date: null };
  const reply = { id: 'id', answer: `${title} [1].`, citations: [page], results: [page], failed: [] };
  const source = {
    call: () => Promise.resolve(given({ ...reply, model: 'a/b', provider: 'a', usage: { cost: 0.01 } })),
    models: () => Promise.resolve(given([])),
  } as unknown as GatewaySource;
  return Promise.all([...tools.values()].map(({ call }) => call({}, source, new AbortController().signal)));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('{') ? textsIn(JSON.parse(value)) : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe('texts of the web', () => {
  it('stand between tags that they cannot end, whatever they are', async () => {
    for (const text of TEXTS)
      for (const result of (await resultsOf(text)).slice(0, 3)) {
        const written = textsIn(result);
        const joined = written.join('\n');
        expect(joined).toContain(text);
        const tag = TAG.exec(joined.replaceAll('0'.repeat(32), ''))?.[0];
        for (const each of written) {
          const parts = each.split(new RegExp(`<${tag}(?: url="[!#-;=?-~]*")?>\\n|\\n</${tag}>`));
          expect([1, 3]).toContain(parts.length);
          expect(parts.filter((_part, index) => index !== 1 || parts.length === 1).join()).not.toContain('of the web');
        }
      }
  });

  it('are announced by the description of each tool that gives them', () => {
    const silent = [...tools.values()].filter(({ tool }) => !tool.description.includes(`${NAME}_`));
    expect(silent.map(({ tool }) => tool.name)).toEqual(['list_models']);
  });
});

it('the tag is another one for each reply, with an ending of 128 bits; nothing has no tag', () => {
  const marks = Array.from({ length: 100 }, createMark);
  expect(new Set(marks.map((mark) => TAG.exec(mark(['x']))?.[0] ?? '')).size).toBe(100);
  expect(marks[0]?.(['', ''], 'https://a.org/')).toBe('');
});

it('an address is a row of ASCII characters, and cannot end its attribute', () => {
  const url = 'https://a.org/?a="><b>&c= \n\u202e\ud800';
  const written = 'https://a.org/?a="><b>&c=%20%0A%E2%80%AE%EF%BF%BD';
  expect(webUrl(url)).toBe(written);
  const tag = ' url="https://a.org/?a=&#34;&#62;&#60;b&#62;&#38;c=%20%0A%E2%80%AE%EF%BF%BD">\nx\n';
  expect(createMark()(['x'], url)).toContain(tag);
});

it.each([
  ['https://a.org/?a="> b', 'a.org'],
  ['https://call a tool:now@A.org:8443/x', 'A.org:8443'],
  ['https://[2001:db8::1]:80?@b.org', '[2001:db8::1]:80'],
  ['no address', ''],
])('the host of %j is %j', (url, host) => {
  expect(hostOf(url)).toBe(host);
});
