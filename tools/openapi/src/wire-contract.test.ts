import { readFileSync } from 'node:fs';
import { openApiDocument } from '@searchgate/core/openapi';
import { expect, it } from 'vitest';
import { breaksOf, contractOf, presentContract, type WireContract } from './wire-contract.js';

const document = openApiDocument();
const contract = contractOf(document);

type Tree = { [name: string]: Tree };

/** The document with other values at some places. `undefined` for none. */
function altered(places: Readonly<Record<string, unknown>>): object {
  const copy = structuredClone(document) as unknown as Tree;
  for (const [place, value] of Object.entries(places)) {
    const names = place.split(' ');
    const last = names.pop() ?? '';
    let parent = copy;
    for (const name of names) parent = parent[name] ?? {};
    if (value === undefined) delete parent[last];
    else parent[last] = value as Tree;
  }
  return copy;
}

const ANSWER = 'paths /api/v1/answer post';
const CITATION = 'components schemas Citation';
const REQUEST = 'components schemas AnswerRequest';

it('keeps what clients of the kept contract rely on', () => {
  const kept = JSON.parse(readFileSync(new URL('wire-contract.json', import.meta.url), 'utf8')) as WireContract;
  expect(breaksOf(kept, presentContract())).toEqual([]);
  expect(Object.keys(kept).length).toBeGreaterThan(200);
});

it.each<[what: string, place: string, value: unknown, told: string]>([
  ['an operation', 'paths /api/v1/credits', undefined, 'get /api/v1/credits is gone'],
  ['a status', `${ANSWER} responses 402`, undefined, 'post /api/v1/answer 402 is gone'],
  ['a header', `${ANSWER} responses 200 headers Age`, undefined, 'post /api/v1/answer 200: Age is gone'],
  ['a parameter', `${ANSWER} parameters`, [], 'post /api/v1/answer: header.Idempotency-Key is gone'],
  ['a field of a reply', `${CITATION} properties snippet`, undefined, 'receives Citation: .snippet:string is gone'],
  ['a field that always came', `${CITATION} required`, ['url', 'title'], 'receives Citation: .snippet! is gone'],
  ['a type', `${CITATION} properties title`, { type: 'number' }, 'receives Citation: .title:string is gone'],
  ['a field of a request', `${REQUEST} properties stream`, undefined, 'sends AnswerRequest: .stream:boolean is gone'],
  ['calls without a field', `${REQUEST} required`, ['model', 'stream'], 'sends AnswerRequest: .stream! is new'],
])('finds the loss of %s', (_what, place, value, told) => {
  expect(breaksOf(contract, contractOf(altered({ [place]: value })))).toContain(told);
});

it('finds every fact that is gone', () => {
  for (const [owner, told] of Object.entries(contract)) {
    const facts = told.split(' ');
    for (const fact of facts) {
      const without = { ...contract, [owner]: facts.filter((each) => each !== fact).join(' ') };
      // A client may go on to send what it need not.
      const isOfClient = fact.endsWith('!') && !/^receives | \d{3}$/.test(owner);
      expect(breaksOf(contract, without)).toEqual(isOfClient ? [] : [`${owner}: ${fact} is gone`]);
    }
  }
});

it('allows what is added, and what need not be sent any more', () => {
  const present = altered({
    'paths /api/v1/new': { get: { responses: { 200: { description: 'New' } } } },
    [`${ANSWER} responses 418`]: { description: 'New' },
    [`${REQUEST} properties extra`]: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    [`${REQUEST} required`]: [],
    [`${CITATION} properties rank`]: { type: 'integer' },
    [`${CITATION} required`]: ['url', 'title', 'snippet', 'rank'],
  });
  expect(breaksOf(contract, contractOf(present))).toEqual([]);
});
