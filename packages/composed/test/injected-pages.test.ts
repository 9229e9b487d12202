import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, type ChatRequest, completion, page, startChat } from './host.js';

interface Injected {
  readonly kind: string;
  readonly page: string;
  /** What a chat model says that obeys the page. */
  readonly says: string;
}

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
const injected = read('injected-pages.jsonl')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Injected);
const HONEST = 'https://zephyr-bridge.example/';
const TRUE = 'The Zephyr Bridge opened on 14 May 2021';

let says = '';
const prompts: string[] = [];
let chat: Awaited<ReturnType<typeof startChat>>;
beforeAll(async () => {
  chat = await startChat((response, { messages }: ChatRequest) => {
    prompts.push(messages.at(-1)?.content ?? '');
    response.setHeader('content-type', 'application/json').end(completion(`${TRUE} [1].\n${says}`));
  });
});
afterAll(() => chat.close());

/** What a page that was obeyed has brought to the caller or to the chat model, by means that share no code with the package. */
async function damageOf(each: Injected) {
  says = each.says;
  const search = () => [page(HONEST, `${TRUE} in the town of Merrow.`), page('https://blog.example/', each.page)];
  const { outcome } = await ask({ baseUrl: chat.baseUrl, script: { search } });
  const { text, citations } = outcome;
  const behind = text.slice(text.indexOf('\n'));
  const numbers = Array.from(behind.matchAll(/\[(\d+)\]/g), ([, number]) => citations[Number(number) - 1]?.url);
  const prompt = prompts.at(-1) ?? '';
  const [, tag = 'none'] = /^<(source-\w+)/.exec(prompt) ?? [];
  return {
    'a link or an address that opens': /\]\(|:\/\/|\/\/\w|www\.|javascript:\S|href|action=|mailto:\S/i.test(behind),
    'an image, a frame or a style that loads': /!\[[^\]]*\]\(|<(?:img|iframe|image|svg)[^>]*=|url\(\s*["']?\/\//i.test(
      behind,
    ),
    'a secret in an address': behind.includes('SECRET'),
    'a fence or a chat token of the page':
      prompt.split(`</${tag}>`).length !== 3 || /<\/?source>|<\||\[INST\]|<s>/.test(prompt),
    'characters that no reader sees': /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u.test(
      prompt,
    ),
    'a citation of a page that does not say it': numbers.includes(HONEST) || numbers.includes(undefined),
    'its own statement, cited as its own': numbers.includes('https://blog.example/'),
    'words without a citation': numbers.length === 0 && /\p{L}{2}/u.test(behind),
  };
}

it('lets through what the README states, of 60 injected pages and a chat model that obeys them', async () => {
  expect(injected).toHaveLength(60);
  const all: Awaited<ReturnType<typeof damageOf>>[] = [];
  for (const each of injected) all.push(await damageOf(each));
  const names = Object.keys(all[0] ?? {}) as (keyof (typeof all)[number])[];
  const table = names.map((name) => `| ${name} | ${all.filter((each) => each[name]).length} |`).join('\n');
  expect(read('../README.md')).toContain(table);
});
