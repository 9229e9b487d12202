import { ExaSearchResults } from '@langchain/exa';
import { Exa } from 'exa-js';
import { PAGE, QUERY, rowsOf } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  'exa-js': ['second argument: `BASE/exa`', 'first argument', 'Needs a search model with `content`.'],
  '@langchain/exa': ['`client`: `new Exa(KEY, BASE/exa)`', 'as `exa-js`', 'as `exa-js`'],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
  const exa = new Exa(apiKey, `${base}/exa`);
  const found = ({ results }) => results[0].url;
  const read = ({ results }) => results[0].text && found({ results });
  const narrow = { contents: false, numResults: 3, type: 'auto', includeDomains: ['example.org'] };
  const streamed = async () => {
    const parts = [];
    for await (const part of exa.streamAnswer(QUERY)) parts.push(part);
    return parts;
  };
  const langChain = new ExaSearchResults({ client: exa, searchArgs: { numResults: 3 } });
  return [
    ...rowsOf('exa-js', [
      ['search', () => exa.search(QUERY), read],
      ['search without contents', () => exa.search(QUERY, narrow), found],
      ['getContents', () => exa.getContents([PAGE], { text: { maxCharacters: 100 } }), read],
      ['answer', () => exa.answer(QUERY), ({ answer, citations }) => answer && citations[0].url],
      ['streamAnswer', streamed, (parts) => parts.some(({ content }) => content) && parts.at(-1).citations[0].url],
    ]),
    ...rowsOf('@langchain/exa', [
      ['ExaSearchResults', () => langChain.invoke(QUERY), (text) => found(JSON.parse(text))],
    ]),
  ];
}
