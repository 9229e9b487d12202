import { describe, expect, it } from 'vitest';
import { createAdministration } from '../src/admin/index.js';
import { checkTag, checkText } from '../src/base/options/check-argument.js';
import { createGateway, memoryApiKeys, memoryLedger } from '../src/index.js';
import { createAnswerFieldsCheck } from '../src/request/answer-fields.js';
import { createRoutingReader } from '../src/routing/read-routing-preferences.js';
import { KEY, OUTCOME, scripted } from './scripted-gateway.js';

const same = (name: string) => name;
const { provider } = scripted('exa', [OUTCOME]);
const check = createAnswerFieldsCheck(8_000, same);
const asked = { query: 'When?', includeCitations: true, stream: false, search: undefined, routing: undefined };
const owner = { apiKey: KEY, organizationId: 'acme' };
const administration = createAdministration({ apiKeys: memoryApiKeys(), ledger: memoryLedger() });

/** Every text with a limited length, by its limit of characters. */
const TEXTS: Record<string, readonly [most: number, take: (text: string) => unknown]> = {
  'a tag': [64, (tag) => checkTag('tag', tag)],
  'a question': [8_000, (query) => check({ ...asked, model: 'a', query, tag: undefined })],
  'the tag of a question': [64, (tag) => check({ ...asked, model: 'a', tag })],
  'a model': [256, (model) => check({ ...asked, model, tag: undefined })],
  'a fallback': [256, (name) => expect(createRoutingReader(same)({ fallbacks: [name] }).issues).toEqual([])],
  'a note, a name of an organization or a stored label': [1_000, (text) => checkText('note', text)],
  'a label': [200, (label) => administration.apiKeys.create({ organizationId: 'acme', label })],
  'a label in memory': [200, (label) => memoryApiKeys([{ ...owner, label }])],
  'an alias': [
    256,
    (alias) =>
      createGateway({
        providers: [provider],
        ledger: memoryLedger(),
        apiKeys: memoryApiKeys(),
        aliases: { [alias]: 'exa/answer' },
      }),
  ],
  'a group': [
    256,
    (name) =>
      createGateway({
        providers: [provider],
        ledger: memoryLedger(),
        apiKeys: memoryApiKeys(),
        groups: { [name]: { models: ['exa/answer'] } },
      }),
  ],
};

describe('characters are code points', () => {
  it.each(Object.entries(TEXTS))('of %s', async (_name, [most, take]) => {
    const takes = async (text: string) => await take(text);
    await expect(takes('\u{1F680}'.repeat(most))).resolves.not.toThrow();
    await expect(takes('\u{1F680}'.repeat(most + 1))).rejects.toThrow(/[0-9]|wrong value/);
  });
});
