import * as allProviders from '@searchgate/core/providers';
import { expect, it } from 'vitest';
import { MODEL, startGateway } from '../../test/mounted-gateway.js';
import { SEARCH_SCHEMA } from './search-schema.js';

const onTheWire = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

it('has every search option that any model supports', () => {
  const { openAiCompatible: _service, searxng: _search, ...vendors } = allProviders;
  const models = Object.values(vendors).flatMap((create) => create({ apiKey: 'a-key' }).models);
  const options = new Set(models.flatMap((model) => Object.keys(model.options ?? {})).map(onTheWire));
  expect(options.size).toBeGreaterThan(5);
  expect(Object.keys(SEARCH_SCHEMA.properties).sort()).toEqual([...options].sort());
});

it('has the same values of freshness as the gateway', async () => {
  const { gateway, asked } = startGateway();
  const apiKey = { id: 'one', organizationId: 'acme' };
  const { enum: values } = SEARCH_SCHEMA.properties.freshness;
  for (const freshness of values)
    await gateway.answer({ apiKey, model: MODEL, query: freshness, search: { freshness: freshness as 'day' } });
  expect(asked.map(({ search }) => search?.freshness)).toEqual(values);
  await gateway.close();
});
