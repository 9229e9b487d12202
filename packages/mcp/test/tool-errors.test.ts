import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { memoryApiKeys } from '@searchgate/core';
import type { Provider } from '@searchgate/core/provider-kit';
import { afterEach, describe, expect, it } from 'vitest';
import { ERROR_META } from '../src/tools/tool.js';
import { connect, HOSTS, type Mounted } from './hosts.js';
import { delivered, KEY, MARKED, MODEL, rowOf, startGateway, type TestGateway } from './mounted-gateway.js';

let running: TestGateway;
let mounted: Mounted;
let client: Client;
afterEach(async () => {
  await client.close();
  await mounted.close();
});

async function start(...args: Parameters<typeof startGateway>): Promise<void> {
  running = startGateway(...args);
  mounted = await HOSTS['a fetch handler']!(running.gateway);
  client = await connect(mounted);
  // A client checks results only after it has read the output schema of the tool.
  await client.listTools();
}

const ask = (args: object) =>
  client.callTool({ name: 'search_answer', arguments: { model: MODEL, query: 'When?', ...args } });

const INSTEAD = 'In place of include_domains, use search.include_domains.';

describe('a refused tool call', () => {
  it.each([
    [{ model: 'handbook/answr' }, 404, 'model_not_found', 'Choose one of these models: handbook/answer.'],
    [{ model: 'x' }, 404, 'model_not_found', 'Call list_models, and choose one of its models.'],
    [{ query: undefined }, 400, 'invalid_field', 'query is required: a string.'],
    [{ search: { freshness: 'hour' } }, 400, 'invalid_field', 'search.freshness must be one of'],
    [{ include_domains: ['a.org'] }, 400, 'unsupported_field', `${INSTEAD} Then call the tool again.`],
    [{ max_results: 5 }, 400, 'unsupported_field', 'Leave out max_results.'],
    [{ serach: {} }, 400, 'unsupported_field', 'did you mean "search"? Then call the tool again.'],
    [{ search: { country: 'DE' } }, 400, 'unsupported_option', 'Leave out country.'],
    [{ query: 'fail upstream' }, 502, 'upstream_error', 'Try again.'],
    [{ query: 'refuse the query' }, 400, 'query_rejected', 'Ask differently, or choose another model.'],
  ])('of %j has status %d, reason %s and advice, and an event with the reason', async (args, code, reason, advice) => {
    await start();
    const result = await ask(args);
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(`^${reason}: .*${advice.replace(/[.?]/g, '\\$&')}`) }],
      _meta: { [ERROR_META]: { reason, code, request_id: expect.stringMatching(/^req_/) } },
    });
    expect(result).not.toHaveProperty('structuredContent');
    await delivered();
    expect(running.events).toContainEqual(
      expect.objectContaining({ endpoint: 'mcp', status: 200, reason, keyId: 'key' }),
    );
  });

  it('at its spend limit names the limit', async () => {
    await start({}, { limit: '0.005' });
    expect(await ask({})).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('ask the operator of the gateway for a higher limit') }],
      _meta: { [ERROR_META]: { reason: 'key_limit_reached', code: 402, metadata: { limit: 0.005, required: 0.01 } } },
    });
    expect(running.asked).toEqual([]);
  });

  it('over its rate says how many seconds to wait', async () => {
    await start({ defaultLimits: { keys: { rateLimit: { requests: 1, periodMs: 3_600_000 } } } });
    expect(await ask({})).not.toHaveProperty('isError');
    expect(await ask({})).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^rate_limited: .* Try again after \d{4} seconds\.$/) }],
      _meta: { [ERROR_META]: { reason: 'rate_limited', code: 429, retry_after: expect.any(Number) } },
    });
    expect(running.asked).toHaveLength(1);
  });

  it('for a forbidden model points to list_models, which lists only allowed models', async () => {
    const key = { apiKey: KEY, label: 'demo', organizationId: 'acme', allowedModels: ['other/model'] };
    await start({ apiKeys: memoryApiKeys([key]) });
    expect(await ask({})).toMatchObject({ _meta: { [ERROR_META]: { reason: 'model_not_allowed' } } });
    const listed = await client.callTool({ name: 'list_models', arguments: {} });
    expect(listed).toMatchObject({ structuredContent: { models: [] } });
  });
});

describe('search_answer', () => {
  it('asks the default model if the call names none', async () => {
    await start({}, { defaultModel: MODEL });
    const { tools } = await client.listTools();
    expect(tools[0]?.inputSchema.required).toEqual(['query']);
    expect(await ask({ model: undefined })).toMatchObject({ structuredContent: { model: MODEL } });
    expect(await ask({ model: null })).toMatchObject({ structuredContent: { model: MODEL } });
  });

  it('passes on instructions and a limit, and says where the limit has ended the answer, and what a check of it found', async () => {
    const asked: unknown[] = [];
    const grounding = { sentences: 9, supported: 4, unsupported: 2, removed: 3 };
    const features = ['instructions', 'max_output_tokens'] as const;
    const provider: Provider = {
      id: 'handbook',
      name: 'Handbook',
      models: [{ ...rowOf(MODEL), features }],
      answer: {
        answer({ query, instructions, maxOutputTokens }) {
          asked.push({ query, instructions, maxOutputTokens });
          const cut = maxOutputTokens !== undefined && { truncated: true, grounding };
          return Promise.resolve({ text: 'Thirty', citations: [], cost: {}, ...cut });
        },
      },
    };
    await start({ providers: [provider] });
    const cut = await ask({ instructions: 'Be brief.', max_output_tokens: 2 });
    expect(cut.structuredContent).toMatchObject({ truncated: true, grounding });
    expect(cut.content).toMatchObject([{ text: expect.stringContaining('max_output_tokens has ended it') as string }]);
    const { structuredContent } = await ask({});
    for (const field of ['truncated', 'grounding']) expect(structuredContent).not.toHaveProperty(field);
    expect(asked).toEqual([{ query: 'When?', instructions: 'Be brief.', maxOutputTokens: 2 }, { query: 'When?' }]);
  });

  it('requires a model without a default', async () => {
    await start();
    const { tools } = await client.listTools();
    expect(tools[0]?.inputSchema.required).toEqual(['query', 'model']);
    expect(await ask({ model: undefined })).toMatchObject({
      content: [{ text: expect.stringContaining('model is required') }],
    });
  });

  it('passes on search options and unknown arguments', async () => {
    await start();
    const search = { include_domains: ['example.org'], freshness: 'week' };
    const result = await ask({ search, stream: true, routing: { max_cost: '1' }, temperature: 0 });
    expect(result).toMatchObject({ structuredContent: { answer: MARKED.answer } });
    const tooDear = await ask({ search, routing: { max_cost: '0' } });
    expect(tooDear).toMatchObject({ isError: true, content: [{ text: expect.stringMatching('^max_cost_exceeded') }] });
  });
});
