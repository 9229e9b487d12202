import { providerConformance } from '@searchgate/testing';
import { describe, it } from 'vitest';
import { localDocs } from '../src/local-docs-provider.js';

type RunTest = (name: string, body: () => Promise<void> | void) => void;

/** What the suite says of HTTP: a proper request, the key, faults of an upstream. This provider sends nothing and has no key. */
const OF_HTTP = /^(?:sends a proper request|keeps the key to itself|reads past informational replies|tells what )/;

function exceptThoseOfHttp(run: RunTest): RunTest {
  return (name, body) => {
    if (!OF_HTTP.test(name)) run(name, body);
  };
}

const runner = { describe, it: exceptThoseOfHttp(it), secret: 'there-is-no-key-to-keep' };
const url = 'https://example.org/bridges.md';
/** Has the words of the question that the suite asks, which ends in what would break a URL. */
const snippet = 'The Zephyr Bridge opened in 1999. Its key x ended 1 or 2 years later.';

/** A fixture has a provider's reply; this one asks no one, so it makes the same of every reply. */
const question = { model: 'local/docs', reply: {} };

providerConformance({
  ...runner,
  create: () => localDocs({ documents: [{ source: 'bridges', url, markdown: `# Zephyr Bridge\n\n${snippet}` }] }),
  fixtures: [
    {
      ...question,
      name: 'a question the documents answer',
      answer: {
        text: `Zephyr Bridge: ${snippet} [1]`,
        citations: [{ title: 'bridges › Zephyr Bridge', url, snippet }],
        cost: {},
      },
    },
  ],
});

providerConformance({
  ...runner,
  create: () => localDocs({ documents: [{ source: 'shop', url, markdown: '# Shop\n\nIt opens at nine.' }] }),
  fixtures: [
    {
      ...question,
      name: 'a question they do not answer',
      failure: { reason: 'no_answer_found', phase: 'shape' },
    },
  ],
});
