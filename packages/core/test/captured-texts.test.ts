import { inspect } from 'node:util';
import { fakeProvider } from '@searchgate/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAdministration } from '../src/admin/index.js';
import { recordGauges, recordMetrics } from '../src/admin/metrics.js';
import { type GatewayOptions, memoryApiKeys, memoryLedger } from '../src/index.js';
import { memoryAuditLog, memoryRequestLog, type RequestText } from '../src/ledger/index.js';
import { askOverHttp } from './ask-over-http.js';
import { KEY, reasonOf, start, whileAdvancing } from './scripted-gateway.js';

const DAY_MS = 86_400_000;
const OTHER = 'another-secret-of-20-characters';
const ASKED = 'Who planted the Zephyrwort?';
const ANSWER = 'Quillon did [1].';

type Log = ReturnType<typeof memoryRequestLog>;
type Capture = NonNullable<GatewayOptions['requestLog']>['capture'];

/** A gateway that keeps the texts of `acme`, and what it shows. */
function startCapturing(capture: Capture = { organizations: ['acme'] }, log: Log = memoryRequestLog()) {
  const fake = fakeProvider({
    replies: [{ text: ['Quillon', ' did [1].'], citations: [{ url: 'https://example.org/' }] }],
  });
  const shown: unknown[] = [];
  const note = (...given: unknown[]) => void shown.push(given);
  const span = { end: note, run: <T>(work: () => T) => work(), startAttempt: (begun: unknown) => (note(begun), span) };
  const keys = [
    { apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' },
    { apiKey: OTHER, id: 'other', label: 'demo', organizationId: 'globex' },
  ];
  const started = start([fake], {
    ledger: memoryLedger({ credits: { acme: '10', globex: '10' } }),
    apiKeys: memoryApiKeys(keys),
    requestLog: { log, keepDays: 14, capture },
    endpoints: { asyncAnswers: true },
    maxAttempts: 1,
    logger: { warn: note, error: note },
    tracer: { startRequest: span.startAttempt },
    expireHoldsEveryMs: 0,
  });
  /** Once all is written. */
  async function kept(): Promise<Readonly<Record<string, Pick<RequestText, 'question' | 'answer' | 'isCut'>>>> {
    await whileAdvancing(started.clock, started.gateway.close());
    const { rows } = await log.find({}, { limit: 1_000 });
    const texts = await log.texts.find(rows.map(({ requestId }) => requestId));
    return Object.fromEntries(
      texts.map(({ tag, question, answer, isCut }) => [tag ?? '', { question, answer, isCut }]),
    );
  }
  return { ...started, fake, log, shown, note, kept };
}

const http = (gateway: ReturnType<typeof startCapturing>['gateway'], tag: string, more: object = {}, headers = {}) =>
  askOverHttp(gateway, { headers, body: { model: 'fake/answer', query: ASKED, tag, ...more } });

it('keeps the question and the answer of calls of every kind, at every door, of the chosen organizations alone', async () => {
  const { gateway, fake, kept } = startCapturing();
  const asked = { apiKey: KEY, model: 'fake/answer', query: ASKED };
  await gateway.answer({
    ...asked,
    query: undefined,
    tag: 'talk',
    instructions: 'Be brief.',
    messages: [
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: ASKED },
    ],
  });
  for await (const _event of gateway.answerStream({ ...asked, tag: 'events' }));
  await http(gateway, 'stream', { stream: true });
  await http(gateway, 'later', {}, { prefer: 'respond-async' });
  await http(gateway, 'once', {}, { 'idempotency-key': 'one' });
  await gateway.answer({ ...asked, tag: 'once', idempotencyKey: 'one' });
  await gateway.answer({ ...asked, apiKey: OTHER, tag: 'globex' });
  fake.reply({ text: 'Quil', failure: 'upstream_error' });
  expect((await http(gateway, 'broken', { stream: true })).status).toBe(200);
  expect(await reasonOf(gateway.answer({ ...asked, model: 'fake/none', tag: 'unknown' }))).toBe('model_not_found');
  const search = { ...asked, model: 'fake/search', tag: 'search', maxResults: 3 };
  expect((await gateway.search(search)).results).toHaveLength(1);
  await gateway.extract({
    apiKey: KEY,
    model: 'fake/extract',
    urls: ['https://example.org/a', 'https://example.org/b'],
    tag: 'extract',
  });
  await gateway.rerank({ apiKey: KEY, model: 'fake/rerank', query: ASKED, documents: ['one', 'two'], tag: 'rerank' });
  await gateway.embed({ apiKey: KEY, model: 'fake/embed', input: ['one', 'two'], tag: 'embed' });

  const { talk, search: found, extract, rerank, embed, ...answers } = await kept();
  const whole = { question: ASKED, answer: ANSWER, isCut: false };
  const failed = { ...whole, answer: null };
  expect(answers).toEqual({ events: whole, stream: whole, later: whole, once: whole, broken: failed, unknown: failed });
  expect(talk).toEqual({
    ...whole,
    question: `${ASKED}\ninstructions: Be brief.\nuser: Hello.\nassistant: Hi.`,
  });
  expect(found).toMatchObject({ question: ASKED, answer: expect.stringMatching(/^\{"title":"A fake page",.*\}$/) });
  expect(extract?.question).toBe('https://example.org/a\nhttps://example.org/b');
  expect(extract?.answer?.split('\n').map((line) => JSON.parse(line).url)).toEqual(extract?.question.split('\n'));
  expect(rerank).toMatchObject({
    question: `${ASKED}\none\ntwo`,
    answer: expect.stringContaining('"relevance_score":1'),
  });
  expect(embed).toEqual({ question: 'one\ntwo', answer: null, isCut: false });
});

describe('the texts', () => {
  it('are in no event, log line, span, metric, row, change or status, also where they cannot be written', async () => {
    const log = memoryRequestLog();
    let isDown = true;
    const append: Log['texts']['append'] = async (texts) =>
      isDown
        ? Promise.reject(Object.assign(new Error(inspect(texts)), { detail: texts, code: '23514' }))
        : log.texts.append(texts);
    const capturing = startCapturing({ organizations: 'all' }, { ...log, texts: { ...log.texts, append } });
    const { gateway, clock, ledger, fake, shown, note, events, kept } = capturing;
    const auditLog = memoryAuditLog();
    const administration = createAdministration({ ledger, requestLog: log, auditLog, gateway });
    recordMetrics(gateway, note);
    await http(gateway, 'whole');
    await http(gateway, 'stream', { stream: true });
    await http(gateway, 'later', {}, { prefer: 'respond-async' });
    fake.reply({ failure: 'upstream_error' });
    await http(gateway, 'failed');
    await clock.advance(10_000);
    isDown = false;
    await clock.advance(60_000);
    recordGauges(gateway, note);
    await administration.requests.eraseTexts({ organizationId: 'acme', tag: 'Zephyrwort' });
    const { rows } = await log.find({}, { limit: 10 });
    shown.push(events, gateway.status(), rows, await Promise.all(rows.map(({ requestId }) => log.get(requestId))));
    shown.push(await auditLog.find({}, { limit: 10 }));
    const text = inspect(shown, { depth: null, showHidden: true, maxStringLength: null, maxArrayLength: null });
    for (const expected of ['request_finished', '23514', 'searchgate.requests', 'texts.erase', 'could not be kept'])
      expect(text).toContain(expected);
    expect(text.match(/Zephyrwort|Quillon/g)).toBeNull();
    expect(Object.keys(await kept())).toHaveLength(4);
  });

  it('cost no row and no call where they cannot be written, and are counted', async () => {
    for (const append of [async () => Promise.reject(new Error('down')), () => new Promise<never>(() => undefined)]) {
      const log = memoryRequestLog();
      const { gateway, events, kept } = startCapturing(undefined, { ...log, texts: { ...log.texts, append } });
      for (let call = 0; call < 3; call += 1) expect((await http(gateway, 'once')).status).toBe(200);
      expect(await kept()).toEqual({});
      expect((await log.find({}, { limit: 10 })).rows).toHaveLength(3);
      const lost = events.flatMap((event) => (event.type === 'request_log_dropped' ? [event] : []));
      expect(lost).toEqual([expect.objectContaining({ count: 3, texts: true })]);
    }
  });

  it('take no more memory than they may, nor does a batch, and no organization costs another its texts', async () => {
    const log = memoryRequestLog();
    const batches: (readonly RequestText[])[] = [];
    let isDown = true;
    const append: Log['texts']['append'] = async (texts) => {
      if (isDown) throw new Error('down');
      batches.push(texts);
      return Promise.resolve();
    };
    const capture = { organizations: 'all', maxCharacters: 100_000 } as const;
    const capturing = startCapturing(capture, { ...log, texts: { ...log.texts, append } });
    const { gateway, fake, clock, events } = capturing;
    fake.reply('🌉'.repeat(99_999));
    const ask = (apiKey: string) => gateway.answer({ apiKey, model: 'fake/answer', query: 'x'.repeat(8_000) });
    await ask(OTHER);
    for (let call = 0; call < 120; call += 1) await ask(KEY);
    await clock.advance(60_000);
    const lost = () => events.reduce((sum, each) => sum + (each.type === 'request_log_dropped' ? each.count : 0), 0);
    const atLeast = lost();
    expect(atLeast).toBeGreaterThan(30);
    isDown = false;
    await clock.advance(60_000);
    const written = batches.flat();
    expect(written).toHaveLength(121 - atLeast);
    expect(written.filter(({ organizationId }) => organizationId === 'globex')).toHaveLength(1);
    const bytesOf = (texts: readonly RequestText[]) =>
      texts.reduce((sum, { question, answer }) => sum + 2 * (question.length + (answer?.length ?? 0)), 0);
    expect(bytesOf(written)).toBeLessThan(32 * 1_024 * 1_024);
    for (const batch of batches) expect(bytesOf(batch.slice(0, -1))).toBeLessThanOrEqual(1_024 * 1_024);
    await whileAdvancing(clock, gateway.close());
  });

  it('are cut behind whole characters, and say so', async () => {
    const property = fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 30 }).map((text) => `x${text.replaceAll('\0', '')}`),
      fc.integer({ min: 1, max: 30 }),
      async (query, maxCharacters) => {
        const { gateway, kept } = startCapturing({ organizations: 'all', maxCharacters });
        await gateway.answer({ apiKey: KEY, model: 'fake/answer', query });
        const { '': text } = await kept();
        const wanted = (given: string) => Array.from(given).slice(0, maxCharacters).join('');
        expect(text?.question).toBe(wanted(query));
        expect(text?.answer).toBe(wanted(ANSWER));
        expect(text?.isCut).toBe(Array.from(query).length > maxCharacters || ANSWER.length > maxCharacters);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it.each([
    ['no call comes', memoryRequestLog],
    ['calls cannot be removed', () => ({ ...memoryRequestLog(), prune: () => Promise.reject(new Error('broken')) })],
  ])('go after their days although %s, and also once none are kept any more', async (_, open) => {
    const log = open();
    const { gateway, clock } = startCapturing({ organizations: 'all', keepDays: 2 }, log);
    await http(gateway, 'one');
    const left = async () => {
      const { rows } = await log.find({}, { limit: 10 });
      return (await log.texts.find(rows.map(({ requestId }) => requestId))).length;
    };
    await clock.advance(2 * DAY_MS);
    expect(await left()).toBe(1);
    await clock.advance(61_000);
    expect([await left(), (await log.find({}, { limit: 10 })).rows.length]).toEqual([0, 1]);
    await whileAdvancing(clock, gateway.close());

    const [row] = (await log.find({}, { limit: 1 })).rows;
    await log.texts.append([{ ...row!, atMs: clock.now() - 8 * DAY_MS, question: ASKED, answer: null, isCut: false }]);
    const off = startCapturing(undefined, log);
    await off.clock.advance(clock.now() - off.clock.now());
    expect(await left()).toBe(0);
    await whileAdvancing(off.clock, off.gateway.close());
  });
});

it.each<[string, object]>([
  ['requestLog.capture: found', { capture: true }],
  ['requestLog.capture.organizations: found', { capture: {} }],
  ['requestLog.capture.organizations: found', { capture: { organizations: [] } }],
  ['requestLog.capture.organizations[0]: found "a b", expected 1 to 128', { capture: { organizations: ['a b'] } }],
  ['requestLog.capture.maxCharacters: found 0', { capture: { organizations: 'all', maxCharacters: 0 } }],
  ['at most the keepDays of the log', { keepDays: 3, capture: { organizations: 'all', keepDays: 4 } }],
  ['Did you mean "keepDays"?', { capture: { organizations: 'all', keepDay: 4 } }],
  ['a log that keeps texts', { log: { ...memoryRequestLog(), texts: undefined }, capture: { organizations: 'all' } }],
])('%s … for the options %j', (message, options) => {
  const requestLog = { log: memoryRequestLog(), ...options } as GatewayOptions['requestLog'];
  expect(() => start([fakeProvider()], { requestLog })).toThrow(message);
});
