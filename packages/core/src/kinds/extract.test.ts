import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../base/errors/upstream-error.js';
import type { Facts } from '../catalog/catalog-member.js';
import type { OutcomeCost } from '../catalog/model-entry.js';
import type { ExtractOutcome, Provider, ProviderExtract } from '../provider-kit/provider.js';
import { type ExtractInput, extractKind } from './extract.js';
import type { AttemptContext } from './kind-call.js';
import type { SoldUnits } from './sold-units.js';

const model = { slug: 'exa/contents' } as ProviderExtract['model'];
const urlsOf = (count: number) => Array.from({ length: count }, (_, at) => `https://a.org/${at}`);
const readAll = ({ urls }: ProviderExtract): ExtractOutcome => ({
  pages: urls.map((url) => ({ url, content: `text of ${url}` })),
  cost: { reported: BigInt(urls.length) },
});

/** Reads pages at a provider that takes `maxUrls` addresses at a time. */
async function read(
  extract: (call: ProviderExtract) => ExtractOutcome | Promise<ExtractOutcome>,
  input: Partial<ExtractInput> = {},
  { maxUrls = 20, slots = 20, signal = new AbortController().signal } = {},
) {
  const calls: ProviderExtract[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const port = {
    models: [],
    maxUrls,
    async extract(call: ProviderExtract) {
      calls.push(call);
      mostAtOnce = Math.max(mostAtOnce, (atOnce += 1));
      await Promise.resolve();
      try {
        return await extract(call);
      } finally {
        atOnce -= 1;
      }
    },
  };
  const provider: Provider = { id: 'exa', name: 'Exa', models: [], extract: port };
  let free = slots;
  const enterSlot = () => {
    if (free === 0) return null;
    free -= 1;
    return { free: () => void (free += 1) };
  };
  // A page costs ten.
  const costOf = ({ cost: { reported }, isSold, units }: SoldUnits) =>
    reported ?? (isSold ? 10n * BigInt(units!.pages!) : 0n);
  const context = { signal, enterSlot, costOf, ask: (send) => send(context) } as AttemptContext;
  const asked = { urls: urlsOf(3), format: 'markdown', maxCharacters: 1_000, ...input } as const;
  const outcome = await extractKind.ask(
    provider,
    { model, facts: {} as Facts, input: asked, search: undefined },
    context,
  );
  return { calls, mostAtOnce, ...outcome };
}

describe('an extract', () => {
  it('gives pages and failures in the order of the addresses, each once', async () => {
    const { value } = await read(
      () => ({
        pages: [
          { url: 'https://c.org/', content: ' c ', title: 'C', date: '2026-11-02T10:00:00Z' },
          { url: 'https://d.org/', failed: 'page_not_found' },
          { url: 'https://a.org/', content: 'a'.repeat(1_001) },
          { url: 'https://a.org/', content: 'again' },
          { url: 'https://e.org/', content: ' \n' },
          { url: 'https://else.org/', content: 'not asked for' },
          { url: 'https://others.org/', content: 'not asked for' },
          { url: 7, content: 'not asked for' } as never,
          { url: 'https://f.org/', failed: 'out_of_paper' as never },
          null as never,
        ],
        cost: {},
      }),
      { urls: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `https://${name}.org/`) },
    );
    expect(value).toEqual({
      results: [
        { url: 'https://a.org/', title: 'a.org', content: 'a'.repeat(1_000), date: null, truncated: true },
        { url: 'https://c.org/', title: 'C', content: 'c', date: '2026-11-02', truncated: false },
      ],
      failed: [
        { url: 'https://b.org/', reason: 'page_failed' },
        { url: 'https://d.org/', reason: 'page_not_found' },
        { url: 'https://e.org/', reason: 'page_empty' },
        { url: 'https://f.org/', reason: 'page_failed' },
      ],
    });
  });

  it('sends more addresses than a vendor takes in parts, at most five at once, and adds the costs', async () => {
    const { calls, mostAtOnce, value, cost } = await read(readAll, { urls: urlsOf(20) }, { maxUrls: 3 });
    expect(calls.map(({ urls }) => urls.length)).toEqual([3, 3, 3, 3, 3, 3, 2]);
    expect(mostAtOnce).toBe(5);
    expect(value.results.map(({ url }) => url)).toEqual(urlsOf(20));
    expect(cost).toEqual({ reported: 20n, usage: undefined });
  });

  it.each([
    [0, 1],
    [2, 3],
    [20, 5],
  ])('with %d free slots at the provider sends at most %d parts at once', async (slots, most) => {
    const { value, mostAtOnce } = await read(readAll, { urls: urlsOf(20) }, { maxUrls: 1, slots });
    expect(value.results.map(({ url }) => url)).toEqual(urlsOf(20));
    expect(mostAtOnce).toBeLessThanOrEqual(most);
  });

  it('begins no part after the deadline, and gives the pages that are there', async () => {
    const deadline = new AbortController();
    const stopping = (call: ProviderExtract) => {
      if (call.urls[0] === 'https://a.org/1') deadline.abort();
      return readAll(call);
    };
    const options = { maxUrls: 1, slots: 0, signal: deadline.signal };
    const { calls, value } = await read(stopping, { urls: urlsOf(4) }, options);
    expect([calls.length, value.results.length]).toEqual([2, 2]);
    expect(value.failed).toEqual(
      urlsOf(4)
        .slice(2)
        .map((url) => ({ url, reason: 'page_timeout' })),
    );
  });

  it('adds the usage of all parts, and what they cost', async () => {
    const usage = { pages: 1, inputTokens: 100, otherFees: 5n };
    const { cost } = await read((call) => ({ ...readAll(call), cost: { usage } }), {}, { maxUrls: 1 });
    expect(cost).toEqual({ reported: 30n, usage: { pages: 3, inputTokens: 300, otherFees: 15n } });
  });

  const usage = { inputTokens: 100 };
  it.each<[string, OutcomeCost[], bigint]>([
    ['the cost of all', [{ reported: 1n }, { reported: 2n }, { reported: 3n }], 6n],
    ['that of some and the list price of the others', [{ reported: 1n }, {}, { usage }], 21n],
    ['the list price of all', [{}, {}, {}], 30n],
  ])('of many parts loses %s; for a charge each part is kept', async (_what, costs, reported) => {
    const { cost, parts } = await read(
      (call) => ({ ...readAll(call), cost: costs[Number(call.urls[0]?.at(-1))]! }),
      {},
      { maxUrls: 1 },
    );
    expect(cost.reported).toBe(reported);
    expect(parts).toMatchObject(costs.map((each) => ({ cost: each, units: { pages: 1 } })));
  });

  it('is charged without the parts whose pages were not read, and are reported as free', async () => {
    const { cost, parts } = await read(
      (call) =>
        call.urls[0] === 'https://a.org/1'
          ? { pages: [{ url: 'https://a.org/1', failed: 'page_forbidden' }], cost: { reported: 0n } }
          : { ...readAll(call), cost: {} },
      {},
      { maxUrls: 1 },
    );
    expect([cost.reported, parts?.length]).toEqual([20n, 2]);
  });

  it.each([
    ['upstream_timeout', { phase: 'body' }, 'page_timeout', 10n],
    ['upstream_timeout', { phase: 'body', cost: 7n }, 'page_timeout', 7n],
    ['upstream_timeout', { phase: 'connect' }, 'page_timeout', null],
    ['upstream_error', { phase: 'headers', cost: 7n }, 'page_failed', 7n],
    ['upstream_error', { phase: 'headers' }, 'page_failed', null],
  ] as const)('names the pages of a part that ends with %s, %o, as %s, and its loss of %s', async (...row) => {
    const [error, options, reason, loss] = row;
    const { value, cost, losses } = await read(
      (call) => {
        if (call.urls[0] === 'https://a.org/1') throw new UpstreamError(error, options);
        return readAll(call);
      },
      {},
      { maxUrls: 1 },
    );
    expect(value.failed).toEqual([{ url: 'https://a.org/1', reason }]);
    expect(cost.reported).toBe(2n);
    expect(losses).toEqual(loss === null ? [] : [{ cost: loss, reason: error }]);
  });

  it('that ends without a page costs what its parts have cost, and those that may have been billed', async () => {
    const failing = ({ urls: [url] }: ProviderExtract): ExtractOutcome => {
      if (url === 'https://a.org/0')
        throw new UpstreamError('upstream_rate_limited', { phase: 'headers', status: 429 });
      if (url === 'https://a.org/1') throw new UpstreamError('upstream_timeout', { phase: 'body' });
      return { pages: [], cost: { reported: 3n } };
    };
    await expect(read(failing, { urls: urlsOf(2) }, { maxUrls: 1 })).rejects.toMatchObject({
      reason: 'upstream_rate_limited',
      status: 429,
      cost: 10n,
    });
    await expect(read(failing, {}, { maxUrls: 1 })).rejects.toMatchObject({ reason: 'no_page_extracted', cost: 13n });
  });

  it('fails with the error of the first part where all parts failed, and with the cost of all', async () => {
    const failing = () => {
      throw new UpstreamError('upstream_rate_limited', { phase: 'headers', status: 429, retryAfterMs: 7, cost: 1n });
    };
    await expect(read(failing, {}, { maxUrls: 1 })).rejects.toMatchObject({
      reason: 'upstream_rate_limited',
      status: 429,
      retryAfterMs: 7,
      cost: 3n,
    });
  });

  it('fails where no page could be read, with the reason of each and what it cost', async () => {
    const failing = ({ urls }: ProviderExtract): ExtractOutcome => ({
      pages: urls.map((url) => ({ url, failed: 'page_forbidden' })),
      cost: { reported: 3n },
    });
    await expect(read(failing)).rejects.toMatchObject({
      reason: 'no_page_extracted',
      cost: 3n,
      failed: urlsOf(3).map((url) => ({ url, reason: 'page_forbidden' })),
    });
  });

  it.each([undefined, null, {}, 'pages'])('refuses %j in place of pages', async (pages) => {
    const cost = { reported: 1n };
    await expect(read(() => ({ pages: pages as never, cost }))).rejects.toMatchObject({
      reason: 'upstream_invalid_response',
    });
  });

  it('lets a bug of an adapter through', async () => {
    await expect(read(() => Promise.reject(new TypeError('x is undefined')))).rejects.toThrow(TypeError);
  });

  it('is held by its addresses and charged by the pages that came', () => {
    const input = { urls: urlsOf(4), format: 'text', maxCharacters: 1_000 } as const;
    const asked = extractKind.askedUnits(input)(model);
    expect(asked).toEqual({ likely: { pages: 4 }, held: { pages: 4 }, most: { pages: 80 } });
    const page = { url: 'https://a.org/0', title: 'A', content: 'a', date: null, truncated: false };
    expect(extractKind.billedUnits({ results: [page], failed: [] }, asked.likely)).toEqual({ pages: 1 });
  });
});
