import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
import { readVerified } from '../verified-models.js';
import { CHECKS, type CheckName } from './checks.js';
import type { Row } from './report.js';
import type { VerifyContext } from './verify-command.js';

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
    if (path === 'search') return { reply: foundFor(body) };
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
function foundFor({ includeDomains }: Json): Json {
  const [host = 'example.org'] = (includeDomains as string[] | undefined) ?? [];
  const { results, ...rest } = json('exa/search.json') as { results: Json[] };
  return { ...rest, results: results.slice(0, 1).map((page) => ({ ...page, url: `https://en.${host}/Paris` })) };
}

/** How a vendor is wrong, in a way that one check is for. */
interface Mutation {
  readonly id: keyof typeof GOOD;
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
/** Sets fields of a reply; `undefined` takes them away. */
const setting = (fields: object) => changed((reply) => ({ ...reply, ...fields }));
const ANSWER = ['--only', 'exa/answer'];
const SEARCH = ['--only', 'exa/auto', '--options'];

const on =
  (id: Mutation['id'], argv: Mutation['argv']) =>
  (level: Mutation['level'], message: string, change: Mutation['change'], context = {}): Mutation => {
    return { id, argv, level, message, change, context };
  };
const onAnswer = on('exa', ANSWER);
const onStream = on('exa', [...ANSWER, '--stream']);
const onSearch = on('exa', SEARCH);
const onVectors = on('cohere', ['--only', 'cohere/embed-v4.0']);

const MUTATIONS: Record<CheckName, readonly Mutation[]> = {
  outcome: [
    onAnswer('fault', 'upstream_error, HTTP 500', () => ({ status: 500, reply: {} })),
    on('cohere', ['--kinds', 'rerank'])('fault', 'HTTP 402', () => ({ status: 402, reply: {} })),
  ],
  completeness: [
    onAnswer('fault', 'proof that it is whole: upstream_invalid_response, HTTP 200', ({ reply }) => ({
      reply: String(reply).slice(0, 200),
    })),
    onStream('fault', 'upstream_invalid_response', ({ reply }) => ({
      reply: String(reply).replace(/^data: .*finish_reason":"stop.*$/m, ''),
    })),
  ],
  content: [
    onSearch('fault', 'nothing was found', setting({ results: [] })),
    onSearch('warning', 'nothing was found', setting({ results: [] })),
  ],
  citations: [
    onAnswer('fault', 'no citation', setting({ citations: [] })),
    onSearch('fault', 'no web addresses: paris', setting({ results: [{ id: 'x', url: 'paris', title: 'x' }] })),
  ],
  domains: [
    onSearch('fault', 'outside of the asked domains: en.example.org', () => ({ reply: foundFor({}) })),
    onSearch('fault', 'outside of the asked domains: en.wikipedia.org', () => ({
      reply: foundFor({ includeDomains: ['wikipedia.org'] }),
    })),
  ],
  ranks: [
    on('cohere', ['--only', 'cohere/rerank-v4.0-pro'])(
      'fault',
      'the document with the answer is not the first',
      setting({ results: [0, 1].map((index) => ({ index, relevance_score: 1 - index })) }),
    ),
  ],
  vectors: [
    onVectors(
      'fault',
      'vectors of 256, 255 numbers, wanted 2 of 256',
      setting({ embeddings: { base64: [vector(256, 1), vector(255, 1)] } }),
    ),
    onVectors(
      'fault',
      'vectors of 256 numbers, wanted 2 of 256',
      setting({ embeddings: { base64: [vector(256, 1)] } }),
    ),
  ],
  cost: [
    onAnswer('fault', '0.011 USD, by the row 0.005 USD', setting({ costDollars: { total: 0.011 } })),
    onAnswer('warning', '0.002 USD, by the row 0.005 USD', setting({ costDollars: { total: 0.002 } })),
  ],
  price: [
    on('xai', ['--only', 'xai/grok-4.3'])(
      'fault',
      'reported 0.05 USD, by row and usage 0.0178',
      changed((reply) => ({
        ...reply,
        usage: { ...(reply['usage'] as Json), cost_in_usd_ticks: 500_000_000 },
      })),
    ),
    onAnswer('fault', 'reported 5 USD, not believed', setting({ costDollars: { total: 5 } })),
  ],
  source: [
    on('openai', ['--only', 'openai/gpt-6-luna'])('warning', 'the ceiling is charged', setting({ usage: undefined })),
  ],
  usage: [onVectors('fault', 'the reply counts none', setting({ meta: undefined }))],
  deadline: [onAnswer('warning', 'more than half of the deadline', (scripted) => scripted, { elapsedMs: slowClock() })],
  stream: [
    onStream('warning', 'the stream came in one piece', ({ reply }) => ({
      reply: String(reply).replaceAll(/^data: .*"content":"(?!The").*\n\n/gm, ''),
    })),
  ],
  'new fields': [
    onAnswer(
      'warning',
      'in no fixture: citations[].trust',
      changed((reply) => ({
        ...reply,
        citations: (reply['citations'] as Json[]).map((page) => ({ ...page, trust: { level: 1 } })),
      })),
    ),
  ],
  'gone fields': [onAnswer('warning', 'and not in the reply: requestId', setting({ requestId: undefined }))],
  'wrong key': [
    onAnswer('fault', 'not upstream_auth_failed, but answered', (scripted) => scripted),
    onAnswer('fault', 'not upstream_auth_failed, but upstream_error, HTTP 500', (scripted, { isKnown }) =>
      isKnown ? scripted : { status: 500, reply: {} },
    ),
  ],
};

/** Each reading is a quarter of an hour after the one before. */
function slowClock(): () => number {
  let ms = 0;
  return () => (ms += 900_000);
}

async function rowsOf({ id, argv, context }: Mutation, script: (asked: Asked) => Scripted | null): Promise<Row[]> {
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
    const { id, change, level } = mutation;
    const good = GOOD[id];
    const isWrongKey = check === 'wrong key';
    const found = await rowsOf(mutation, (asked) => (asked.isKnown || isWrongKey ? change(good(asked), asked) : null));
    expect(findings(found, check)).toContainEqual({ level, message: expect.stringContaining(message) });
    // Without the mutation, nothing is found.
    const { context: _, ...plain } = mutation;
    const right = await rowsOf(plain, (asked) => (asked.isKnown ? good(asked) : null));
    expect(findings(right, check)).toEqual([]);
    expect(right.filter(({ verdict }) => verdict === 'fault')).toEqual([]);
  });
});

describe('a reply of the fixtures passes', () => {
  interface Expected {
    readonly reply: string;
    readonly models: Record<string, object>;
  }
  const ids = readdirSync(PROVIDERS, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const answers = ids
    .filter((id) => existsSync(join(PROVIDERS, id, 'fixtures/expected-answers.json')))
    .flatMap((id) =>
      (JSON.parse(fixture(`${id}/expected-answers.json`)) as Expected[]).map(
        ({ reply, models }) => [id, reply, ['--only', Object.keys(models).join(',')]] as const,
      ),
    );
  const searches = ids.flatMap((id) =>
    ['search.json', 'results.json']
      .filter((file) => existsSync(join(PROVIDERS, id, 'fixtures', file)))
      .map((file) => [id, file, ['--only', id, '--kinds', 'search']] as const),
  );

  async function run(id: string, reply: string, argv: readonly string[]): Promise<Row[]> {
    vendor.state.script = ({ isKnown }) => (isKnown ? { reply } : null);
    const environment = vendor.environment(id);
    const { out } = await verify([...argv, '--yes', '--json', '--budget', '100'], { environment });
    return (JSON.parse(out) as { calls: Row[] }).calls;
  }

  // An invented reply has the cost of another question.
  const faultsOf = (rows: readonly Row[]) =>
    rows.flatMap(({ model, findings: all }) =>
      all
        .filter(({ level, check }) => level === 'fault' && check !== 'cost' && check !== 'price')
        .map((each) => [model, each]),
    );

  it.each(answers)('%s answers with %s, refuses a wrong key, and brings no new field', async (id, file, argv) => {
    const rows = await run(id, fixture(`${id}/${file}`), argv);
    expect(faultsOf(rows)).toEqual([]);
    expect(new Set(rows.map(({ call }) => call))).toEqual(new Set(['plain', 'wrong key']));
    expect([...findings(rows, 'new fields'), ...findings(rows, 'gone fields')]).toEqual([]);
  });

  const streams = answers.flatMap(([id, file, [, models]]) =>
    readdirSync(join(PROVIDERS, id, 'fixtures'))
      .filter((name) => /^(?:answer|message)-stream\.txt$/.test(name) && /^(?:answer|message)\./.test(file))
      .map((stream) => [id, stream, { file, argv: ['--only', models.split(',')[0] ?? '', '--stream'] }] as const),
  );
  it.each(streams)('%s streams %s', async (id, stream, { file, argv }) => {
    const replies = [file, stream].map((name) => fixture(`${id}/${name}`));
    vendor.state.script = ({ isKnown }) => (isKnown ? { reply: replies.shift() } : null);
    const { out } = await verify([...argv, '--yes', '--json'], {
      environment: vendor.environment(id),
    });
    const { calls } = JSON.parse(out) as { calls: Row[] };
    expect([faultsOf(calls), calls.map(({ call }) => call)]).toEqual([[], ['plain', 'stream', 'wrong key']]);
  });

  it.each(searches)('%s finds pages with %s', async (id, file, argv) => {
    expect(faultsOf(await run(id, fixture(`${id}/${file}`), argv))).toEqual([]);
  });

  it.each(answers)('%s with %s is a fault where the reply is cut', async (id, file, argv) => {
    const text = fixture(`${id}/${file}`);
    const rows = await run(id, text.slice(0, text.length / 2), argv);
    expect(rows.filter(({ call }) => call === 'plain').flatMap((row) => findings([row], 'completeness'))).toHaveLength(
      rows.length - 1,
    );
  });
});

describe('the command', () => {
  const good = (asked: Asked) => (asked.isKnown ? GOOD.exa(asked) : null);
  beforeEach(() => {
    vendor.state.script = good;
  });
  const exa = () => ({ environment: vendor.environment('exa') });
  const terminal = (line: string) => ({ ...exa(), stdin: Object.assign(Readable.from([line]), { isTTY: true }) });

  it('tells the estimate, and calls nothing without consent', async () => {
    for (const context of [exa(), terminal('n\n'), terminal('')]) {
      const { code, out, err } = await verify(ANSWER, context);
      expect([code, out, err]).toEqual([2, '', expect.stringContaining('2 calls, estimated 0.005 USD')]);
    }
    expect(vendor.state.asked).toEqual([]);
    expect((await verify(ANSWER, terminal('y\n'))).code).toBe(0);
  });

  it('prints a table, with a line per call while it runs', async () => {
    const { code, out, err } = await verify([...ANSWER, '--yes'], exa());
    expect(code).toBe(0);
    expect(out).toMatch(/^MODEL +CALL +VERDICT +USD +SOURCE +MS\nexa\/answer +plain +ok +0\.005 +reported +0\n/);
    expect(out).toContain('2 of 2 calls: 2 ok, 0 with a warning, 0 with a fault. 0.005 USD, estimated 0.005 USD.\n');
    expect(out).not.toContain('not compared');
    expect(err).toContain('1/2 exa/answer (plain): ok, 0.005 USD, 0 ms\n2/2 exa/answer (wrong key): ok, 0 USD, 0 ms\n');
  });

  it('calls the smallest form of each kind, and each declared option once', async () => {
    await verify(['--only', 'exa/answer,exa/auto,exa/contents', '--options', '--yes'], exa());
    const bodies = vendor.state.asked.map(({ path, body }) => [path, body] as const);
    expect(bodies[0]).toEqual(['answer', { stream: false, query: 'What is the capital of France?', text: false }]);
    const searches = bodies.flatMap(([path, body]) => (path === 'search' ? [body] : []));
    expect(searches.every((body) => body['numResults'] === 1)).toBe(true);
    for (const field of ['includeDomains', 'excludeDomains', 'startPublishedDate', 'endPublishedDate', 'userLocation'])
      expect([field, searches.filter((body) => body[field] !== undefined).length]).toEqual([
        field,
        expect.toSatisfy((n: number) => n > 0),
      ]);
    expect(bodies.find(([path]) => path === 'contents')?.[1]).toMatchObject({ urls: ['https://example.com/'] });
  });

  it('stops at the budget, and reports what it checked', async () => {
    const { code, out } = await verify(['--only', 'exa/answer,exa/auto', '--yes', '--budget', '0.006'], exa());
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/1 of 3 calls: 1 ok.*\nEnded early: exa\/auto would cost more/s),
    ]);
    expect(await verify([...ANSWER, '--yes', '--budget', '0.001'], exa())).toMatchObject({
      code: 2,
      out: expect.stringContaining('0 of 2 calls'),
    });
  });

  it('counts what a failed call cost too', async () => {
    vendor.state.script = ({ isKnown }) => (isKnown ? { reply: fixture('openrouter/ungrounded.json') } : null);
    const environment = vendor.environment('openrouter');
    const { code, out } = await verify(['--only', 'openrouter/answer', '--yes', '--json'], { environment });
    const { charged, calls } = JSON.parse(out) as { charged: string; calls: Row[] };
    const { cost } = (json('openrouter/ungrounded.json')['usage'] ?? {}) as { cost: number };
    expect([code, charged, calls[0]?.costSource]).toEqual([1, String(cost), null]);
  });

  it('prints what it checked when it is interrupted', async () => {
    const interrupt = new AbortController();
    vendor.state.script = (asked) => {
      if (asked.path === 'search') interrupt.abort();
      return good(asked);
    };
    const { code, out } = await verify(['--only', 'exa', '--yes'], { ...exa(), signal: interrupt.signal });
    expect([code, out]).toEqual([0, expect.stringMatching(/exa\/answer .*Ended early: interrupted\./s)]);
    expect(out).not.toContain('client_closed_request');
  });

  it.each<[string, string[], string[]]>([
    ['providers: found none that is enabled, expected a key such as EXA_API_KEY', [], []],
    ['Did you mean "exa/answer"?', ['--only', 'exa/anser'], ['exa']],
    ['Did you mean "exa"?', ['--only', 'exq'], ['exa']],
    ['cohere/x, which is not enabled, expected COHERE_API_KEY in the environment', ['--only', 'cohere/x'], ['exa']],
    ['Did you mean "embedding"?', ['--kinds', 'embeddings'], ['exa']],
    ['--kinds: found rerank, expected kinds that the providers serve', ['--kinds', 'rerank'], ['exa']],
    ['It is a decimal of USD above 0', ['--budget', '1e3'], ['exa']],
    ['It is a decimal of USD above 0', ['--budget', '0'], ['exa']],
    ['expected a folder that can be written', ['--record', '/dev/null/x', '--yes'], ['exa']],
    ["unknown option '--buget'", ['--buget', '1'], ['exa']],
    ['too many arguments', ['exa'], ['exa']],
    ['no-such-file.json', ['--config', 'no-such-file.json'], ['exa']],
  ])('refuses: %s', async (message, argv, ids) => {
    const { code, out, err } = await verify(argv, { environment: vendor.environment(...ids) });
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(message)]);
    expect(vendor.state.asked).toEqual([]);
  });

  it('calls services of the file, which need no key', async () => {
    const file = join(folder, 'own.json');
    const own = {
      type: 'openai-compatible',
      baseUrl: `${vendor.url}/own`,
      embeddings: [{ slug: 'own/small', dimensions: 2 }],
    };
    writeFileSync(file, JSON.stringify({ providers: { own, local: { maxConcurrent: 1 } } }));
    vendor.state.script = ({ vendor: id }) =>
      id === 'own' ? { reply: { data: [0, 1].map((index) => ({ index, embedding: [1, index] })) } } : null;
    const { code, out } = await verify(['--config', file, '--yes'], {});
    expect([code, out]).toEqual([0, expect.stringMatching(/^own\/small +plain +ok +0 /m)]);
    expect(out).not.toContain('wrong key');
    expect(out).toContain('Fields of own were not compared: there are no fixtures.');
  });

  it('calls a model of parts with its parts, as the file describes it', async () => {
    const file = join(folder, 'composed.json');
    const chat = { baseUrl: `${vendor.url}/chat`, model: 'tiny' };
    const composed = { ask: { brief: { search: 'web', chat, check: 'off' } } };
    const models = { 'ask/brief': { name: 'Brief' } };
    writeFileSync(
      file,
      JSON.stringify({ composed, models, aliases: { web: 'exa/auto' }, providers: { ask: { policies: ['eu'] } } }),
    );
    const choices = [{ message: { content: 'Paris [1].' }, finish_reason: 'stop' }];
    vendor.state.script = (asked) => (asked.vendor === 'chat' ? { reply: { choices } } : GOOD.exa(asked));
    const environment = vendor.environment('exa');
    const { code, out } = await verify(['--config', file, '--only', 'ask/brief', '--yes'], { environment });
    expect([code, out]).toEqual([0, expect.stringMatching(/^ask\/brief +plain +ok +0\.00/m)]);
    expect(vendor.state.asked.map(({ path }) => path)).toEqual(['search', 'chat/completions']);
  });

  it.each<[string, Record<string, string>, object]>([
    ['the environment', { EXA_API_KEYS: `${KEY},${KEY}-2` }, {}],
    [
      'the file',
      {},
      { exa: { apiKeys: [{ key: KEY, name: 'a', maxConcurrent: 1 }, { key: `${KEY}-2` }], pick: 'least-used' } },
    ],
    ['both', { EXA_API_KEY: 'another-key-of-exa' }, { exa: { apiKey: KEY } }],
  ])('tries one wrong key in place of all keys of %s', async (_what, keys, providers) => {
    const file = join(folder, 'keys.json');
    writeFileSync(file, JSON.stringify({ providers, models: { 'local/docs': { price: '0' } } }));
    const environment = { ...keys, EXA_BASE_URL: `${vendor.url}/exa` };
    const { code, out } = await verify(['--config', file, ...ANSWER, '--yes'], { environment });
    expect([code, out]).toEqual([0, expect.stringContaining('2 of 2 calls: 2 ok')]);
    expect(vendor.state.asked.map(({ isKnown }) => isKnown)).toEqual([true, false]);
  });

  it('hides the key of a file from what it prints and records, with ids and accounts', async () => {
    const [keyFile, file, records] = ['exa-key', 'exa.json', 'records'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(keyFile, `${KEY}\n`);
    const at = { apiKeyFile: keyFile, baseUrl: `${vendor.url}/exa` };
    writeFileSync(file, JSON.stringify({ providers: { exa: at } }));
    const account = {
      organization: 'Zephyr Works',
      requestId: 'req_0c1f6b2e9a7d',
      user_email: 'ada@zephyr.example',
      note: `for ${KEY}`,
    };
    vendor.state.script = ({ isKnown }) =>
      isKnown
        ? { reply: { ...json('exa/answer.json'), account } }
        : { status: 401, reply: { error: 'no key of Zephyr Works', org: 'Zephyr Works' } };
    const argv = ['--config', file, ...ANSWER, '--record', records, '--yes'];
    const { code, out, err } = await verify(argv, {});
    const files = readdirSync(records, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
    expect([code, files.sort()]).toEqual([0, ['exa/answer-wrong-key-401.json', 'exa/answer.json', 'verified.json']]);
    const texts = files.map((name) => readFileSync(join(records, name), 'utf8'));
    for (const secret of [KEY, KEY.slice(8, 20), 'Zephyr Works', 'req_0c1f6b2e9a7d', 'ada@'])
      expect([...texts, out, err].filter((text) => text.includes(secret))).toEqual([]);
    const verified = { day: '2026-11-29', version: expect.any(String), verdict: 'warning' };
    expect(JSON.parse(texts[2] ?? '')).toEqual({ 'exa/answer': verified });
    // A later run of other models keeps them.
    vendor.state.script = good;
    await verify(['--config', file, '--only', 'exa/auto', '--record', records, '--yes'], {});
    expect(readVerified(join(records, 'verified.json'))).toEqual({
      'exa/answer': verified,
      'exa/auto': { ...verified, verdict: 'ok' },
    });
  });
});
