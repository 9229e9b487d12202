import { providerConformance } from '@searchgate/testing';
import { describe, it } from 'vitest';
import { localDocs } from '../src/local-docs-provider.js';

const url = 'https://example.org/bridges.md';
const text = 'Zephyr Bridge: The Zephyr Bridge opened in 1999; its key ended in 2001. [1]';
const snippet = 'The Zephyr Bridge opened in 1999; its key ended in 2001.';

/** What the suite says of HTTP: a proper request, the key, faults of an upstream. This provider sends nothing and has no key. */
const OF_HTTP = /^(?:sends a proper request|keeps the key to itself|reads past informational replies|tells what )/;
const runner = {
  describe,
  it: (name: string, body: () => Promise<void> | void) => {
    if (!OF_HTTP.test(name)) it(name, body);
  },
  secret: 'there-is-no-key-to-keep',
};

/** A reply is what a provider is sent; this one asks nobody, so it makes the same of every reply. */
const question = { model: 'local/docs', reply: {} };

providerConformance({
  ...runner,
  create: () => localDocs({ documents: [{ source: 'bridges', url, markdown: `# Zephyr Bridge\n\n${snippet}` }] }),
  fixtures: [
    {
      ...question,
      name: 'a question the documents answer',
      answer: { text, citations: [{ title: 'bridges › Zephyr Bridge', url, snippet }], cost: {} },
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
