import type { AnswerModel } from '@searchgate/core/provider-kit';
import { fakeProvider } from '@searchgate/testing';

const CITATIONS = [
  {
    url: 'https://example.org/zephyr/opening',
    title: 'Zephyr Bridge opens after nine years',
    snippet: 'The mayor opened the bridge on 14 May 2021.',
  },
  {
    url: 'https://example.org/register/zephyr',
    title: 'Register of bridges',
    snippet: 'Zephyr Bridge: 1,204 m long, two lanes.',
  },
  {
    url: 'https://council.example/minutes/2021-05',
    title: 'Minutes of the city council, May 2021',
    snippet: 'Costs: twice the plan.',
  },
] as const;

const FIRST_PART = 'The Zephyr Bridge opened on **14 May 2021** [1], after';
const SECOND_PART = ` \`nine\` years of work.

- It is 1,204 m long [2].
- It cost twice what was planned; see [the minutes](https://example.org/minutes) [3].

<img src="x" onerror="alert(1)"> is text.
`;

/** Marks that a parser with quadratic time would not survive, and HTML. */
const HOSTILE = '**[`<img src=x onerror=alert(1)>[1](http://'.repeat(34_000);

/** "Wait" in a question makes its answer wait for `finish`; "fail" makes it fail; "hostile" makes it long and full of marks. */
export function scriptedProvider(id: string, models: readonly Partial<AnswerModel>[]) {
  const waiting = new Set<() => void>();
  const wait = () => new Promise<void>((resolve) => waiting.add(resolve));
  const provider = fakeProvider({
    id,
    models: models.map((model) => ({ name: `${id} answer`, timeoutMs: 60_000, ...model })),
    price: '0.005',
    replies: [
      ({ query }) => {
        if (/fail/i.test(query)) return { failure: 'upstream_error' };
        if (/hostile/i.test(query)) return { text: HOSTILE, citations: CITATIONS };
        return { text: [FIRST_PART, ...(/wait/i.test(query) ? [wait()] : []), SECOND_PART], citations: CITATIONS };
      },
    ],
  });
  /** Lets all answers that wait be finished. */
  const finish = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  return { provider, finish };
}
