import type { FakeClock } from '@searchgate/testing';
import * as fc from 'fast-check';
import {
  type CallContext,
  type ModelPart,
  type ModelRow,
  type OutcomeCost,
  type Provider,
  UpstreamError,
} from '../src/provider-kit/index.js';

/** The list prices of a call of each model. */
const LISTED = {
  'one/find': 4_000_000n,
  'two/find': 6_000_000n,
  'page/read': 3_000_000n,
  'order/sort': 2_000_000n,
  'plain/answer': 5_000_000n,
} as const;
type Vendor = keyof typeof LISTED;
/** Of the chat request of a composed model. */
export const TYPICAL = 2_000_000n;
const CEILING = 10_000_000n;

/** How composed models ask their parts: at once, one after another, going on after failures, and without waiting for the first. */
export const WAYS = ['all', 'turn', 'on', 'left'] as const;
export const PARTS: Readonly<Record<string, ModelPart>> = {
  first: { kind: 'search', model: 'one/find', most: { results: 10 } },
  pair: { kind: 'search', model: 'pair', most: { results: 10 } },
  alias: { kind: 'search', model: 'alias', most: { results: 10 } },
  read: { kind: 'extract', model: 'page/read', most: { pages: 3 } },
  sort: { kind: 'rerank', model: 'order/sort', most: { searchUnits: 1 } },
};
export const script = fc.record({
  afterMs: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 14_000 })),
  /** In thousands. */
  bills: fc.integer({ min: 1, max: 12_000 }),
  end: fc.constantFrom(
    ...(['reports', 'reports', 'reports', 'says nothing', 'says nothing', 'finds nothing', 'stays silent'] as const),
    ...(['upstream_error', 'upstream_rejected', 'upstream_auth_failed'] as const),
  ),
});
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;
const GOOD: Script = { afterMs: 1, bills: 3_000, end: 'reports' };

/** One request to a vendor, and its bill. */
export interface Bill {
  readonly model: string;
  /** The name of the call; behind a dot, which run of a composed model it was for. */
  readonly name: string;
  readonly isOwn: boolean;
  amount: bigint;
  isAnswered: boolean;
}

/** What vendors do. */
interface Played {
  readonly scripts: readonly Script[];
  readonly parts: readonly ModelPart[];
  /** Most requests at once of each vendor; `undefined` for any number. */
  readonly limit: number | undefined;
}

/** Vendors that play the scripts in turn, and a provider whose models are made of theirs. */
export function playedVendors(clock: FakeClock, { scripts, parts, limit }: Played) {
  const bills: Bill[] = [];
  const queue = [...scripts];
  let [underWay, runs] = [0, 0];

  function play({ signal, apiKey }: CallContext, model: string, name: string) {
    const isChat = model.startsWith('ask/');
    const listed = isChat ? CEILING : LISTED[model as Vendor];
    if (signal.aborted) return Promise.reject(new UpstreamError('upstream_timeout', { phase: 'connect' }));
    const { afterMs, end, ...own } = queue.shift() ?? GOOD;
    const reports = BigInt(own.bills) * 1_000n;
    const told = isChat ? { usage: { inputTokens: own.bills } } : { reported: reports };
    const bill: Bill = { model, name, isOwn: apiKey !== undefined, amount: 0n, isAnswered: false };
    bills.push(bill);
    underWay += 1;
    return new Promise<{ readonly isEmpty: boolean; readonly cost: OutcomeCost }>((resolve, reject) => {
      let isOver = false;
      const finish = (amount: bigint, cost: OutcomeCost, reason: UpstreamError['reason'] | null) => {
        if (isOver) return;
        isOver = true;
        underWay -= 1;
        Object.assign(bill, { amount, isAnswered: reason === null });
        const { reported = null, usage = null } = cost;
        if (reason === null) resolve({ isEmpty: end === 'finds nothing', cost });
        else reject(new UpstreamError(reason, { phase: 'body', cost: reported, usage }));
      };
      signal.addEventListener('abort', () => {
        if (end === 'stays silent') finish(isChat ? TYPICAL : listed, {}, 'upstream_timeout');
        else finish(reports, told, 'upstream_timeout');
      });
      if (end === 'stays silent') return;
      clock.schedule(afterMs, () => {
        if (end === 'says nothing') finish(listed, {}, null);
        else finish(reports, told, end === 'reports' || end === 'finds nothing' ? null : end);
      });
    });
  }

  const about = (id: string, models: readonly ModelRow[] = []) => {
    const limits = limit === undefined || id === 'ask' ? undefined : { maxConcurrent: limit, maxQueueMs: 4_000 };
    return { id, name: id, models, ownKeys: id !== 'order', limits };
  };
  const finder = (id: 'one' | 'two', request: string): Provider => ({
    ...about(id),
    search: {
      models: [rowOf(`${id}/find`, { request })],
      async search({ query }, context) {
        const played = await play(context, `${id}/find`, query);
        return { ...played, results: played.isEmpty ? [] : [{ url: `https://example.org/${query}` }] };
      },
    },
  });
  const page: Provider = {
    ...about('page'),
    extract: {
      models: [rowOf('page/read', { perPage: '0.001' })],
      maxUrls: 20,
      extract: async ({ urls }, context) => ({
        ...(await play(context, 'page/read', urls[0]!.split('/')[3]!)),
        pages: urls.map((url) => ({ url, content: 'Yes.' })),
      }),
    },
  };
  const order: Provider = {
    ...about('order'),
    rerank: {
      models: [rowOf('order/sort', { perSearchUnit: '0.002' })],
      rerank: async ({ query }, context) => ({
        ...(await play(context, 'order/sort', query)),
        ranks: [{ index: 0, score: 1 }],
      }),
    },
  };
  const plain: Provider = {
    ...about('plain', [rowOf('plain/answer', { request: '0.005' })]),
    answer: {
      answer: async ({ query }, context) => ({ ...(await play(context, 'plain/answer', query)), ...YES }),
    },
  };
  const rows = WAYS.map((way) => ({ ...rowOf(`ask/${way}`, null), parts, timeoutMs: 25_000 }));
  const ask: Provider = {
    ...about('ask', rows),
    answer: {
      async answer({ query, model }, context) {
        const name = `${query}.${(runs += 1)}`;
        await askParts(model, name, context);
        const { isEmpty, cost } = await play(context, model.slug, name);
        if (!isEmpty) return { ...YES, cost };
        throw new UpstreamError('no_answer_found', { phase: 'shape', usage: cost.usage ?? null });
      },
    },
  };
  const providers = [finder('one', '0.004'), finder('two', '0.006'), page, order, plain, ask];
  return { providers, bills, forget: () => queue.splice(0), isIdle: () => underWay === 0 };
}

const YES = { text: 'Yes.', citations: [] };

function rowOf(slug: string, flat: object | null): ModelRow {
  const provenance = { source: 'test', asOf: '2026-11-29', confidence: 'high' } as const;
  const dynamic = { perMillionInputTokens: '1', typical: '0.002', ceiling: '0.01' };
  const price = flat === null ? { kind: 'dynamic', ...dynamic } : { kind: 'flat', ...flat };
  const prices = [{ ...price, ...provenance }] as ModelRow['prices'];
  return { slug, name: slug, description: 'A played model.', prices, features: [], maxResults: 20, timeoutMs: 10_000 };
}

/** Asks the parts of a model in its way. */
async function askParts({ slug, parts = [] }: ModelRow, name: string, context: CallContext): Promise<void> {
  const urls = ['', 'b', 'c'].map((more) => `https://example.org/${name}/${more}`);
  const asked = { search: { query: name }, extract: { urls }, rerank: { query: name, documents: ['a'] } };
  const ask = ({ kind, model }: ModelPart): Promise<unknown> => context.run!(kind, model, asked[kind] as never);
  const [first, ...others] = parts;
  if (slug === 'ask/all') await Promise.all(parts.map(ask));
  else if (slug === 'ask/on') for (const part of parts) await ask(part).catch(() => undefined);
  else {
    const begun = ask(first!);
    if (slug === 'ask/turn') await begun;
    for (const part of others) await ask(part);
  }
}
