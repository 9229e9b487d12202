import { ExaSearchResults } from '@langchain/exa';
import { Exa } from 'exa-js';
import { PAGE, QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  'exa-js': ['second argument: `BASE/exa`', 'first argument', 'Needs a search model with `content`.'],
  '@langchain/exa': ['`client`: `new Exa(KEY, BASE/exa)`', 'as `exa-js`', 'as `exa-js`'],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
  const exa = new Exa(apiKey, `${base}/exa`);
  return [
    {
      client: 'exa-js',
      what: 'search',
      call: () => exa.search(QUERY),
      shown: ({ results }) => results[0].text && results[0].url,
    },
    {
      client: 'exa-js',
      what: 'search without contents',
      call: () => exa.search(QUERY, { contents: false, numResults: 3, type: 'auto', includeDomains: ['example.org'] }),
      shown: ({ results }) => results[0].url,
    },
    {
      client: 'exa-js',
      what: 'getContents',
      call: () => exa.getContents([PAGE], { text: { maxCharacters: 100 } }),
      shown: ({ results }) => results[0].text && results[0].url,
    },
    {
      client: 'exa-js',
      what: 'answer',
      call: () => exa.answer(QUERY),
      shown: ({ answer, citations }) => answer && citations[0].url,
    },
    {
      client: 'exa-js',
      what: 'streamAnswer',
      call: async () => {
        const parts = [];
        for await (const part of exa.streamAnswer(QUERY)) parts.push(part);
        return parts;
      },
      shown: (parts) => parts.some(({ content }) => content) && parts.at(-1).citations[0].url,
    },
    {
      client: '@langchain/exa',
      what: 'ExaSearchResults',
      call: () => new ExaSearchResults({ client: exa, searchArgs: { numResults: 3 } }).invoke(QUERY),
      shown: (text) => JSON.parse(text).results[0].url,
    },
  ];
}
