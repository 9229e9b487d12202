import { ConfigurationError, createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { describe, expect, it } from 'vitest';
import { type LocalDocsOptions, localDocs } from '../src/local-docs-provider.js';

const documents = [
  {
    source: 'shop',
    url: 'https://example.org/shop.md',
    markdown: '# Shop\n\n## Opening hours\n\nThe shop opens at nine and closes at five.',
  },
];
const apiKey = 'sg_test_key_of_the_local_docs_tests';

function gatewayOver(options: LocalDocsOptions) {
  return createGateway({
    providers: [localDocs(options)],
    apiKeys: memoryApiKeys([{ apiKey, label: 'test', organizationId: 'acme', limit: '1.00' }]),
    ledger: memoryLedger({ credits: { acme: '5.00' } }),
  });
}

describe('localDocs', () => {
  it('answers from its documents through a gateway, cited and charged at its price', async () => {
    const gateway = gatewayOver({ documents, price: '0.002' });
    const answer = await gateway.answer({ apiKey, model: 'local/docs', query: 'When does the shop open?' });
    expect(answer).toMatchObject({
      model: 'local/docs',
      provider: 'local',
      answer: 'Opening hours: The shop opens at nine and closes at five. [1]',
      citations: [
        {
          title: 'shop › Opening hours',
          url: 'https://example.org/shop.md#opening-hours',
          snippet: 'The shop opens at nine and closes at five.',
        },
      ],
      usage: { cost: 0.002 },
    });
    expect(await gateway.key({ apiKey })).toMatchObject({ usage: 0.002, limitRemaining: 0.998 });
    await gateway.close();
  });

  it('says that it found no answer in its documents, and nothing is charged', async () => {
    const gateway = gatewayOver({ documents });
    const asking = gateway.answer({ apiKey, model: 'local/docs', query: 'Who built the pyramids?' });
    await expect(asking).rejects.toMatchObject({
      reason: 'no_answer_found',
      status: 400,
      retryable: false,
      message: 'No source was found that answers this query.',
    });
    expect(await gateway.credits({ apiKey })).toEqual({ totalCredits: 5, totalUsage: 0 });
    await gateway.close();
  });

  it('refuses what is more like a question that its documents do not answer', async () => {
    const unanswered = ['When does the shop open a branch in Paris?'];
    const gateway = gatewayOver({ documents: documents.map((document) => ({ ...document, unanswered })) });
    const ask = (query: string) => gateway.answer({ apiKey, model: 'local/docs', query });
    await expect(ask('When does the shop open in Paris?')).rejects.toMatchObject({ reason: 'no_answer_found' });
    expect(await ask('What are the opening hours of the shop?')).toMatchObject({ citations: { length: 1 } });
    await gateway.close();
  });

  it('lists its model with its price, 0.001 by default', async () => {
    const gateway = gatewayOver({ documents });
    const model = gateway.models({ category: 'answer' }).find(({ id }) => id === 'local/docs');
    expect(model).toMatchObject({ provider: 'local', pricing: { unit: 'USD', request: '0.001' } });
    await gateway.close();
  });

  it.each<[string, unknown, string]>([
    ['an unknown option', { document: [] }, 'Did you mean "documents"?'],
    [
      'a price that is no amount',
      { documents, price: 'free' },
      'localDocs.price: found "free", expected a decimal string',
    ],
    ['no documents', { documents: [] }, 'localDocs.documents: found an array of 0, expected at least one document'],
    [
      'a document without a public address',
      { documents: [{ ...documents[0], url: 'file:///shop.md' }] },
      'localDocs.documents[0].url',
    ],
    [
      'one question where there could be several',
      { documents: [{ ...documents[0], unanswered: 'Why?' }] },
      'localDocs.documents[0].unanswered: found "Why?", expected an array of questions',
    ],
  ])('refuses %s', (_, options, message) => {
    const build = () => localDocs(options as LocalDocsOptions);
    expect(build).toThrow(ConfigurationError);
    expect(build).toThrow(message);
  });
});
