/** What every vendor finds. Brackets in it are data, and so is the Markdown. */
export const DATA = {
  opened: '2021 [1]',
  links: ['[A](https://example.org/a)', '[[1]](https://example.org/a)', 'arr[1] '],
};

const SCHEMA = {
  type: 'object',
  properties: { opened: { type: 'string' }, links: { type: 'array', items: { type: 'string' } } },
};

/** The field as callers send it. */
export const RESPONSE_FORMAT = {
  type: 'json_schema',
  json_schema: { name: 'bridge_facts', schema: SCHEMA, strict: true },
};

const text = JSON.stringify(DATA);
const page = { url: 'https://example.org/a', title: 'A' };
const message = (annotations: readonly object[]) => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations }],
});
const reply = (output: readonly object[]) => ({
  id: 'r',
  object: 'response',
  status: 'completed',
  output,
  usage: null,
});

/**
 * What a vendor has to be sent for {@link RESPONSE_FORMAT}, and its reply, by provider or slug. Written by hand from the vendors' documentation; models of
 * other vendors refuse.
 */
export const EXPECTED_JSON: Readonly<Record<string, { readonly sent: object; readonly reply: object }>> = {
  exa: {
    sent: { outputSchema: SCHEMA },
    reply: { output: { content: DATA, grounding: [{ field: 'opened', citations: [page] }] }, results: [] },
  },
  'exa/answer': { sent: { outputSchema: SCHEMA }, reply: { answer: DATA, citations: [page] } },
  linkup: {
    sent: { outputType: 'structured', structuredOutputSchema: JSON.stringify(SCHEMA), includeSources: true },
    reply: { data: DATA, sources: [{ type: 'text', url: page.url, name: 'A', content: 'Opened.', favicon: '' }] },
  },
  parallel: {
    sent: { text: { format: { type: 'json_schema', name: 'bridge_facts', schema: SCHEMA, strict: true } } },
    reply: reply([message([{ type: 'url_citation', ...page, start_index: 11, end_index: 19 }])]),
  },
  perplexity: {
    sent: {
      response_format: { type: 'json_schema', json_schema: { name: 'bridgefacts', schema: SCHEMA, strict: true } },
    },
    reply: reply([{ type: 'search_results', results: [{ id: 1, ...page, snippet: '' }] }, message([])]),
  },
};
