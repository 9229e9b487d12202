import { type AnswerModel, type AnswerOutcome, type Provider, UpstreamError } from '@searchgate/core/provider-kit';

const PRICE = { kind: 'flat', request: '0.005', source: 'test', asOf: '2026-11-22', confidence: 'high' } as const;

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

const FIRST_PART = 'The Zephyr Bridge opened on **14 May 2021** [1], after ';
const SECOND_PART = `\`nine\` years of work.

- It is 1,204 m long [2].
- It cost twice what was planned; see [the minutes](https://example.org/minutes) [3].

<img src="x" onerror="alert(1)"> is text.
`;

/** Marks that a parser with quadratic time would not survive, and HTML. */
const HOSTILE = '**[`<img src=x onerror=alert(1)>[1](http://'.repeat(34_000);

/** A provider that writes the first part of an answer, and the rest when a test says so. */
export interface ScriptedProvider {
  readonly provider: Provider;
  /** Lets all answers that wait be finished. */
  finish(): void;
}

/** "Wait" in a question makes its answer wait for `finish`; "fail" makes it fail; "hostile" makes it long and full of marks. */
export function scriptedProvider(id: string, models: readonly Partial<AnswerModel>[]): ScriptedProvider {
  const waiting = new Set<() => void>();
  const provider: Provider = {
    id,
    name: id,
    models: models.map((model) => ({
      slug: `${id}/answer`,
      name: `${id} answer`,
      description: 'A scripted provider.',
      prices: [PRICE],
      features: ['citations', 'streaming'],
      contextLength: null,
      timeoutMs: 60_000,
      ...model,
    })),
    answer: {
      answer: ({ query }) => Promise.resolve(outcomeOf(query)),
      async stream({ query }, _context, live) {
        const outcome = outcomeOf(query);
        live.citations(outcome.citations);
        live.text(outcome.text.slice(0, FIRST_PART.length));
        if (/wait/i.test(query)) await new Promise<void>((resolve) => waiting.add(resolve));
        live.text(outcome.text.slice(FIRST_PART.length));
        return outcome;
      },
    },
  };
  return {
    provider,
    finish() {
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
  };
}

function outcomeOf(query: string): AnswerOutcome {
  if (/fail/i.test(query)) throw new UpstreamError('upstream_error', { phase: 'headers', status: 500 });
  const text = /hostile/i.test(query) ? HOSTILE : FIRST_PART + SECOND_PART;
  return { text, citations: CITATIONS, cost: {} };
}
