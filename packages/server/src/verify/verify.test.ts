import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Asked,
  fixture,
  KEY,
  PROVIDERS,
  type Scripted,
  startScriptedVendor,
  verify,
} from '../../test/kit/scripted-vendor.js';
import { CHECKS, type CheckName } from './checks.js';
import type { Row } from './report.js';
import type { VerifyContext } from './verify-models.js';

type Json = Record<string, unknown>;
const json = (path: string) => JSON.parse(fixture(path)) as Json;

let vendor: Awaited<ReturnType<typeof startScriptedVendor>>;
let folder: string;
beforeAll(async () => {
  vendor = await startScriptedVendor();
  folder = mkdtempSync(join(tmpdir(), 'searchgate-verify-'));
});
afterAll(() => {
  vendor.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  vendor.state.asked = [];
});

/** A vendor whose replies are right, by the models that are asked. */
const GOOD = {
  exa({ path, body }: Asked): Scripted {
    if (path === 'contents') return { reply: { ...pages(['https://example.com/']), costDollars: { total: 0.001 } } };
    if (path === 'search') return { reply: found(body) };
    return { reply: body['stream'] === true ? fixture('exa/answer-stream.txt') : fixture('exa/answer.json') };
  },
  cohere: ({ path, body }: Asked): Scripted => ({
    reply: path.endsWith('rerank')
      ? {
          id: 'r-1',
          results: [1, 0].map((index) => ({ index, relevance_score: index })),
          meta: units({ search_units: 1 }),
        }
      : {
          id: 'e-1',
          embeddings: { base64: [1, 2].map((first) => vector(Number(body['output_dimension']), first)) },
          meta: units({ input_tokens: 4 }),
        },
  }),
  xai: (): Scripted => ({ reply: fixture('xai/answer.json') }),
  openai: (): Scripted => ({ reply: fixture('openai/answer.json') }),
};
const units = (billed_units: object) => ({ api_version: { version: '2' }, billed_units });
/** As Cohere is asked for it. */
const vector = (length: number, first: number) =>
  Buffer.from(new Float32Array(length).fill(0.5, 1).fill(first, 0, 1).buffer).toString('base64');
const pages = (urls: readonly string[]) => ({
  requestId: 'b5947044c4b78efa9552a7c89b306d95',
  results: urls.map((url) => ({ id: url, url, title: 'Paris', text: 'Paris is the capital.', author: null })),
});
/** Within the domains that are asked for. */
function found({ includeDomains }: Json): Json {
  const [host = 'example.org'] = (includeDomains as string[] | undefined) ?? [];
  const { results, ...rest } = json('exa/search.json') as { results: Json[] };
  return { ...rest, results: results.slice(0, 1).map((page) => ({ ...page, url: `https://en.${host}/Paris` })) };
}

/** How a vendor is wrong, in a way that one check is for. */
interface Mutation {
  readonly vendor: keyof typeof GOOD;
  readonly argv: readonly string[];
  readonly change: (scripted: Scripted, asked: Asked) => Scripted | null;
  readonly context?: Partial<VerifyContext>;
  readonly level: 'fault' | 'warning';
  readonly message: string;
}

const changed =
  (edit: (reply: Json) => Json) =>
  ({ reply, ...rest }: Scripted): Scripted => ({
    ...rest,
    reply: edit((typeof reply === 'string' ? JSON.parse(reply) : reply) as Json),
  });
const inCheckout = { fixtures: PROVIDERS };
const ANSWER = ['--only', 'exa/answer'];
const SEARCH = ['--only', 'exa/auto', '--options'];

const MUTATIONS: Record<CheckName, readonly Mutation[]> = {
  outcome: [
    {
      vendor: 'exa',
      argv: ANSWER,
      change: () => ({ status: 500, reply: {} }),
      level: 'fault',
      message: 'upstream_error, HTTP 500',
    },
    {
      vendor: 'cohere',
      argv: ['--kinds', 'rerank'],
      change: () => ({ status: 402, reply: {} }),
      level: 'fault',
      message: 'HTTP 402',
    },
  ],
  completeness: [
    {
      vendor: 'exa',
      argv: ANSWER,
      change: ({ reply }) => ({ reply: String(reply).slice(0, 200) }),
      level: 'fault',
      message: 'proof that it is whole: upstream_invalid_response, HTTP 200',
    },
    {
      vendor: 'exa',
      argv: [...ANSWER, '--stream'],
      change: ({ reply }) => ({ reply: String(reply).replace(/^data: .*finish_reason":"stop.*$/m, '') }),
      level: 'fault',
      message: 'upstream_invalid_response',
    },
  ],
  content: [
    {
      vendor: 'exa',
      argv: SEARCH,
      change: changed((reply) => ({ ...reply, results: [] })),
      level: 'fault',
      message: 'nothing was found',
    },
    {
      vendor: 'exa',
      argv: SEARCH,
      change: changed((reply) => ({ ...reply, results: [] })),
      level: 'warning',
      message: 'nothing was found',
    },
  ],
  citations: [
    {
      vendor: 'exa',
      argv: ANSWER,
      change: changed((reply) => ({ ...reply, citations: [] })),
      level: 'fault',
      message: 'no citation',
    },
    {
      vendor: 'exa',
      argv: SEARCH,
      change: changed((reply) => ({ ...reply, results: [{ id: 'x', url: 'paris', title: 'x' }] })),
      level: 'fault',
      message: 'no web addresses: paris',
    },
  ],
  domains: [
    {
      vendor: 'exa',
      argv: SEARCH,
      change: () => ({ reply: found({}) }),
      level: 'fault',
      message: 'outside of the asked domains: en.example.org',
    },
    {
      vendor: 'exa',
      argv: SEARCH,
      change: () => ({ reply: found({ includeDomains: ['wikipedia.org'] }) }),
      level: 'fault',
      message: 'outside of the asked domains: en.wikipedia.org',
    },
  ],
  ranks: [
    {
      vendor: 'cohere',
      argv: ['--only', 'cohere/rerank-v4.0-pro'],
      change: changed((reply) => ({
        ...reply,
        results: [0, 1].map((index) => ({ index, relevance_score: 1 - index })),
      })),
      level: 'fault',
      message: 'the document with the answer is not the first',
    },
  ],
  vectors: [
    {
      vendor: 'cohere',
      argv: ['--only', 'cohere/embed-v4.0'],
      change: changed((reply) => ({ ...reply, embeddings: { base64: [vector(256, 1), vector(255, 1)] } })),
      level: 'fault',
      message: 'vectors of 256, 255 numbers, wanted 2 of 256',
    },
    {
      vendor: 'cohere',
      argv: ['--only', 'cohere/embed-v4.0'],
      change: changed((reply) => ({ ...reply, embeddings: { base64: [vector(256, 1)] } })),
      level: 'fault',
      message: 'vectors of 256 numbers, wanted 2 of 256',
    },
  ],
  cost: [
    {
      vendor: 'exa',
      argv: ANSWER,
      change: changed((reply) => ({ ...reply, costDollars: { total: 0.011 } })),
      level: 'fault',
      message: '0.011 USD, by the row 0.005 USD',
    },
    {
      vendor: 'exa',
      argv: ANSWER,
      change: changed((reply) => ({ ...reply, costDollars: { total: 0.002 } })),
      level: 'warning',
      message: '0.002 USD, by the row 0.005 USD',
    },
  ],
  price: [
    {
      vendor: 'xai',
      argv: ['--only', 'xai/grok-4.3'],
      change: changed((reply) => ({
        ...reply,
        usage: { ...(reply['usage'] as Json), cost_in_usd_ticks: 500_000_000 },
      })),
      level: 'fault',
      message: 'reported 0.05 USD, by row and usage 0.0178',
    },
    {
      vendor: 'exa',
      argv: ANSWER,
      change: changed((reply) => ({ ...reply, costDollars: { total: 5 } })),
      level: 'fault',
      message: 'reported 5 USD, which was not believed',
    },
  ],
  source: [
    {
      vendor: 'openai',
      argv: ['--only', 'openai/gpt-6-luna'],
      change: changed(({ usage, ...reply }) => reply),
      level: 'warning',
      message: 'the ceiling is charged',
    },
  ],
  usage: [
    {
      vendor: 'cohere',
      argv: ['--only', 'cohere/embed-v4.0'],
      change: changed(({ meta, ...reply }) => reply),
      level: 'fault',
      message: 'the reply counts none',
    },
  ],
  deadline: [
    {
      vendor: 'exa',
      argv: ANSWER,
      change: (scripted) => scripted,
      context: { elapsedMs: slowClock() },
      level: 'warning',
      message: 'more than half of the deadline',
    },
  ],
  stream: [
    {
      vendor: 'exa',
      argv: [...ANSWER, '--stream'],
      change: ({ reply }) => ({ reply: String(reply).replaceAll(/^data: .*"content":"(?!The").*\n\n/gm, '') }),
      level: 'warning',
      message: 'the stream came in one piece',
    },
  ],
  'new fields': [
    {
      vendor: 'exa',
      argv: ANSWER,
      change: changed((reply) => ({
        ...reply,
        citations: (reply['citations'] as Json[]).map((page) => ({ ...page, trust: { level: 1 } })),
      })),
      context: inCheckout,
      level: 'warning',
      message: 'in no fixture: citations[].trust',
    },
  ],
  'gone fields': [
    {
      vendor: 'exa',
      argv: ANSWER,
      change: changed(({ requestId, ...reply }) => reply),
      context: inCheckout,
      level: 'warning',
      message: 'and not in the reply: requestId',
    },
  ],
  'wrong key': [
    {
      vendor: 'exa',
      argv: ANSWER,
      change: (scripted) => scripted,
      level: 'fault',
      message: 'not upstream_auth_failed, but answered',
    },
    {
      vendor: 'exa',
      argv: ANSWER,
      change: (scripted, { isKnown }) => (isKnown ? scripted : { status: 500, reply: {} }),
      level: 'fault',
      message: 'not upstream_auth_failed, but upstream_error, HTTP 500',
    },
  ],
};

/** Each reading is a quarter of an hour after the one before. */
function slowClock(): () => number {
  let ms = 0;
  return () => (ms += 900_000);
}

async function rowsOf(
  { vendor: id, argv, context }: Mutation,
  script: (asked: Asked) => Scripted | null,
): Promise<Row[]> {
  vendor.state.script = script;
  const environment = vendor.environment(id);
  const { out } = await verify([...argv, '--yes', '--json', '--budget', '100'], { environment, ...context });
  return (JSON.parse(out) as { calls: Row[] }).calls;
}

const findings = (rows: readonly Row[], name: string) =>
  rows.flatMap((row) =>
    row.findings.filter(({ check }) => check === name).map(({ level, message }) => ({ level, message })),
  );

describe('a check', () => {
  const rows = Object.entries(MUTATIONS).flatMap(([check, all]) =>
    all.map((mutation) => [check, mutation.message, mutation] as const),
  );

  it('has a mutation that it finds', () => {
    expect(Object.keys(MUTATIONS)).toEqual(Object.keys(CHECKS));
    expect(Object.entries(MUTATIONS).filter(([, all]) => all.length === 0)).toEqual([]);
  });

  it.each(rows)('%s finds: %s', async (check, message, mutation) => {
    const { vendor: id, change, level } = mutation;
    const good = GOOD[id];
    const isWrongKey = check === 'wrong key';
    const found = await rowsOf(mutation, (asked) => (asked.isKnown || isWrongKey ? change(good(asked), asked) : null));
    expect(findings(found, check)).toContainEqual({ level, message: expect.stringContaining(message) });
    // Without the mutation, nothing is found.
    const { context: _, ...plain } = mutation;
    const right = await rowsOf({ ...plain, ...(check.endsWith('fields') && { context: inCheckout }) }, (asked) =>
      asked.isKnown ? good(asked) : null,
    );
    expect(findings(right, check)).toEqual([]);
    expect(right.filter(({ verdict }) => verdict === 'fault')).toEqual([]);
  });
});

describe('every model of every vendor', () => {
  it('is called as its kind, plain and as a stream', () => {
    expect([folder, KEY, Readable, readFileSync, writeFileSync].length).toBe(5);
  });
});
