import type { AnswerOutcome } from '../src/provider-kit/provider.js';

export const ZEPHYR = {
  url: 'https://example.org/zephyr',
  title: 'Zephyr Bridge opens & traffic flows',
  snippet: "The bridge's opening was on 14 May 2021, after four years of work...",
};
export const TRAFFIC = {
  url: 'https://example.com/traffic',
  title: 'Traffic report',
  snippet: 'About 40,000 "vehicles" cross it every day...',
};
/** The usage of one question, from its fixture. */
const USAGE = { inputTokens: 11_840, cachedInputTokens: 0, outputTokens: 312, searches: 1 };

/** The common fixtures of providers that speak Messages: the same replies with different names and ids. */
export function messagesAnswers(prefix: string, served: Pick<AnswerOutcome, 'upstreamRequestId' | 'servedModel'>) {
  const usage = (changes: Partial<typeof USAGE> = {}) => ({ usage: { ...USAGE, ...changes } });
  const answer: AnswerOutcome = {
    text: 'According to the press, the Zephyr Bridge opened on 14 May 2021[1], and about 40,000 vehicles cross it every day[2][1].',
    citations: [ZEPHYR, TRAFFIC],
    cost: usage(),
    ...served,
  };
  /** Name of the fixture, its content, its meaning. */
  const rows: readonly (readonly [string, string, AnswerOutcome])[] = [
    ['many-citations', 'many citations of two searches', { ...MANY_BRIDGES, ...served }],
    [
      'no-citations',
      'a search that found nothing',
      {
        ...answer,
        text: 'Nothing was found about a Zephyr Bridge.',
        citations: [],
        cost: usage({ inputTokens: 2_100, outputTokens: 80 }),
      },
    ],
    [
      'uncited',
      'an answer that cites none of the pages that were found',
      {
        ...answer,
        text: 'It opened in May 2021.',
        citations: [ZEPHYR, TRAFFIC].map(({ url, title }) => ({ url, title })),
      },
    ],
    ['missing-fields', 'an answer without any optional field', BARE],
    ['nulls', 'an answer with nulls', BARE],
    ['unicode', 'an answer in many scripts', { ...answer, ...MANY_SCRIPTS }],
    [
      'one-search-failed',
      'an answer of which one search failed',
      {
        ...answer,
        text: 'It opened in May 2021[1].',
        citations: [ZEPHYR],
        cost: usage({ inputTokens: 9_000, outputTokens: 100 }),
      },
    ],
  ];
  return {
    answer,
    answers: rows.map(([name, shows, outcome]) => [`${prefix}-${name}`, shows, outcome] as const),
    usage,
  };
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

const MANY_BRIDGES: AnswerOutcome = {
  text: [
    'Bridges that opened:',
    ...upTo(8).map((n) => `- Bridge ${n}[${n}]`),
    '\n',
    ...upTo(14, 9).map((n) => `- Bridge ${n}[${n}][3]`),
    'See also note \\[1].',
  ].join('\n'),
  citations: upTo(14).map((n) => ({
    url: `https://example.org/bridges/${n}`,
    title: `Bridge ${n}`,
    snippet: `Bridge ${n} opened.`,
  })),
  cost: { usage: { inputTokens: 43_000, cachedInputTokens: 0, outputTokens: 900, searches: 2 } },
};

const BARE: AnswerOutcome = { text: 'It opened in May 2021.[1]', citations: [{ url: ZEPHYR.url }], cost: {} };

const MANY_SCRIPTS = {
  text: '🌉 大橋は2021年5月に開通した[1]。افتُتح الجسر في مايو ٢٠٢١[2]. 👩‍👩‍👧',
  citations: [
    { url: 'https://example.jp/橋', title: 'ゼファー大橋 🌉', snippet: '二〇二一年五月に開通。' },
    { url: 'https://example.ae/jisr', title: 'جسر زفير', snippet: 'افتُتح الجسر في مايو.' },
  ],
};
