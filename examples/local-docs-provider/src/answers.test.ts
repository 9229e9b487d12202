import { describe, expect, it } from 'vitest';
import { type ComposedAnswer, composeAnswer } from './compose-answer.js';
import { packageDocuments } from './package-documents.js';
import { createPassageIndex } from './passage-index.js';
import { passagesOf } from './passages.js';

const index = createPassageIndex(packageDocuments().flatMap(passagesOf));

function answerTo(question: string): ComposedAnswer {
  const answer = composeAnswer(index, question);
  if (answer === null) throw new Error(`no answer to "${question}"`);
  return answer;
}

const ANSWERED: readonly (readonly [question: string, says: RegExp, firstSource: RegExp])[] = [
  [
    'How do I set a body timeout in undici?',
    /^[^\n]*`bodyTimeout`[^\n]*in milliseconds[^\n]*300 seconds/,
    /Client\.md#parameter-clientoptions$/,
  ],
  ['How do I set a body timout in undici?', /`bodyTimeout`/, /Client\.md/],
  ['keep alive timeout default undici', /^[^\n]*`keepAliveTimeout`[^\n]*4 seconds/, /Client\.md/],
  ['What does maxHeaderSize mean in undici?', /maximum length of request headers in bytes/, /Client\.md/],
  ['How do I limit the maximum response size in undici?', /^[^\n]*`maxResponseSize`/, /Client\.md/],
  ['How do I use a proxy with undici?', /new ProxyAgent\('http/, /undici/],
  ['How do I retry failed requests with undici?', /automatically retry a request/, /RetryAgent\.md/],
  ['How do I abort a request in undici?', /abortController\.abort\(\)/, /aborting-a-request$/],
  ['Does undici support HTTP/2?', /allowH2/, /undici/],
  ['How do I parse cookies with undici?', /getCookies\(headers\)/, /Cookies\.md/],
  ['What is a BalancedPool?', /A pool of Pool instances connected to multiple upstreams/, /BalancedPool\.md/],
  ['What is zod?', /^[^\n]*Zod is a TypeScript-first validation library/, /zod\/README\.md/],
  ['How do I handle validation errors in zod without try/catch?', /\.safeParse\(\)/, /#handling-errors$/],
  ['How do I infer a TypeScript type from a zod schema?', /`z\.infer<>`/, /#inferring-types$/],
  ['How do I compile a zod schema ahead of time?', /z\.compile\(Player\)/, /#aot-compilation$/],
  ['How can I store undefined values in lru-cache?', /never stores undefined values/, /#storing-undefined-values$/],
  ['Does lru-cache delete expired items automatically?', /no preemptive pruning of expired items/, /lru-cache/],
  ['What happens when maxSize is set in lru-cache?', /every item must provide a size/, /#storage-bounds-safety$/],
  ['What node version does koa require?', /Koa requires node v18/, /#installation$/],
  ['How do I write koa middleware?', /async \(ctx, next\) =>/, /#middleware$/],
  ['How do I stream a file in koa?', /fs\.createReadStream/, /koa/],
  [
    'How do I define nested routes in koa router?',
    /apiRouter\.use\('\/users', usersRouter\.routes\(\)\)/,
    /#nested-routers$/,
  ],
  ['How do I install express?', /npm install express/, /#installation$/],
  ['Which template engines does express support?', /over 14 template engines/, /express/],
  ['How do I redact sensitive fields in pino logs?', /redact: \[/, /redaction\.md/],
  ['What is the default log level of pino?', /^[^\n]*Default: `'info'`/, /api\.md#level-string$/],
  ['How do I rename the message key in pino?', /`messageKey|messageKey \(String\)/, /#messagekey-string$/],
  ['How do I use pino with express?', /require\('pino-http'\)\(\)/, /#pino-with-express$/],
  ['How do I auto suggest in minisearch?', /miniSearch\.autoSuggest\(/, /#auto-suggestions$/],
  ['how to boost a field in minisearch', /boost: \{ title: 2 \}|field boosting/, /minisearch/],
];

const UNGROUNDED = [
  'What is the capital of France?',
  'Why is the sky blue?',
  'What is the meaning of life?',
  'Who won the world cup in 2022?',
  'How do I bake sourdough bread?',
  'Tell me a joke about middleware',
  'How do I deploy koa to kubernetes?',
  'Does zod support protobuf?',
  'How do I configure a redis cluster in lru-cache?',
  'How do I invalidate an OAuth token in express?',
  'How do I write a recursive SQL query in postgres?',
  'How do I center a div in CSS?',
  'How do I use this?',
  'asdf qwer zxcv',
  '???',
];

describe('answers from the documentation of the installed packages', () => {
  it.each(ANSWERED)('answers "%s"', (question, says, firstSource) => {
    const { text, citations } = answerTo(question);
    expect(text).toMatch(says);
    expect(citations[0]?.url).toMatch(firstSource);
  });

  it.each(ANSWERED.map(([question]) => question))(
    'cites every source once, and only what it quotes, for "%s"',
    (question) => {
      const { text, citations } = answerTo(question);
      const prose = text.replace(/```[\s\S]*?```/g, '').replace(/`[^`]*`/g, '');
      const markers = [...prose.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
      expect([...new Set(markers)].sort((a, b) => a - b)).toEqual(citations.map((_, position) => position + 1));
      expect(new Set(citations.map(({ url }) => url)).size).toBe(citations.length);
      for (const { url, title, snippet } of citations) {
        expect(url).toMatch(/^https:\/\/github\.com\//);
        expect(title).toMatch(/^(?:@koa\/router|[a-z-]+)(?: › .+)?$/);
        expect(snippet?.length).toBeGreaterThan(0);
      }
    },
  );

  it.each(UNGROUNDED)('does not answer "%s"', (question) => {
    expect(composeAnswer(index, question)).toBeNull();
  });
});
