import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, HOSTS, type Mounted } from './hosts.js';
import { delivered, KEY, MARKED, MODEL, startGateway, type TestGateway } from './mounted-gateway.js';

describe.each(Object.entries(HOSTS))('the SDK’s client over Streamable HTTP, at %s,', (_name, mount) => {
  let running: TestGateway;
  let mounted: Mounted;
  beforeAll(async () => {
    running = startGateway();
    mounted = await mount(running.gateway);
  });
  afterAll(() => mounted.close());

  it('gets an answer with its sources, charged like any other', async () => {
    const client = await connect(mounted);
    await client.listTools();
    const result = await client.callTool({
      name: 'search_answer',
      arguments: { query: 'How much leave?', model: MODEL },
    });
    expect(result).toEqual({
      content: [{ type: 'text', text: MARKED.text }],
      structuredContent: {
        id: expect.stringMatching(/^ans_/),
        answer: MARKED.answer,
        citations: [MARKED.citation],
        model: MODEL,
        provider: 'handbook',
        cost: 0.01,
      },
    });
    await client.close();
    expect(await running.gateway.key({ apiKey: KEY })).toMatchObject({ usage: 0.01 });
    await delivered();
    const charged = {
      type: 'request_finished',
      endpoint: 'mcp',
      status: 200,
      reason: null,
      model: MODEL,
      cost: 10_000_000n,
    };
    expect(running.events).toContainEqual(expect.objectContaining(charged));
  });

  it('lists tools and models', async () => {
    const client = await connect(mounted);
    expect(client.getServerVersion()).toMatchObject({ name: 'searchgate' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.openWorldHint])).toEqual(
      [
        ['search_answer', true, true],
        ['list_models', true, false],
      ],
    );
    expect(await client.callTool({ name: 'list_models', arguments: {} })).toEqual({
      content: [
        {
          type: 'text',
          text: `${MODEL}: Answers from one sentence. (USD 0.01 a question; search options include_domains, freshness)`,
        },
      ],
      structuredContent: {
        models: [
          {
            id: MODEL,
            category: 'answer',
            name: 'Handbook',
            provider: 'handbook',
            description: 'Answers from one sentence.',
            pricing: { unit: 'USD', request: '0.01' },
            options: ['include_domains', 'freshness'],
          },
        ],
      },
    });
    await client.ping();
    await client.close();
  });

  it('is refused without a valid key', async () => {
    await expect(connect(mounted, 'wrong')).rejects.toThrow(/invalid_api_key/);
  });
});
