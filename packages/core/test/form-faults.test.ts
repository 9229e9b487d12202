import type { ServerResponse } from 'node:http';
import * as dialects from '@searchgate/dialects';
import {
  createFakeClock,
  FAULT_EXPECTATIONS,
  FAULTS,
  type Fault,
  type FaultUpstream,
  startFaultUpstream,
} from '@searchgate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../src/http/extensions.js';
import { createGateway, memoryApiKeys, memoryLedger, parseUsd, REASONS, type Reason } from '../src/index.js';
import { exa } from '../src/providers/index.js';
import { fixturesIn } from './ask-once.js';
import { type Served, serve } from './every-model/serve.js';
import { costIn, makeCall } from './form-calls.js';
import { endpointsOf, type Form, formsOf } from './money-forms.js';
import { eventsOf, RECORDED_STREAMS } from './recorded-streams.js';
import { KEY } from './scripted-gateway.js';
import { MAX_UPSTREAM_BYTES, FAULTS as STREAM_FAULTS, type StreamFault } from './stream-faults/faults.js';
import { begin } from './stream-faults/stage.js';

const MODELS = { search: 'exa/auto', extract: 'exa/contents', answer: 'exa/answer' };
const FORMS = formsOf(MODELS);
/** Of every model. */
const DEADLINE_MS = 120_000;
const fixture = fixturesIn(`${import.meta.dirname}/../src/providers/exa`);

/** How a call ends: the reason of its error, and what the ledger has. */
interface Ending {
  readonly reason?: Reason;
  readonly entries: readonly (readonly ['charge' | 'loss', bigint])[];
}
type Kind = readonly [reply: string, price: bigint, empty: object, nothing: Ending];

/** Exa's reply, the list price, which may be owed for a call without an end, an empty reply, and what becomes of it. */
const KINDS: Readonly<Record<string, Kind>> = {
  answer: ['answer', 5_000_000n, { answer: '' }, { reason: 'upstream_invalid_response', entries: [] }],
  search: ['search', 7_000_000n, { results: [] }, { entries: [['charge', 7_000_000n]] }],
  extract: [
    'contents',
    1_000_000n,
    { results: [], costDollars: { total: 0.001 } },
    { reason: 'no_page_extracted', entries: [['loss', 1_000_000n]] },
  ],
};
const kindOf = ({ asks }: Form) => asks.split(',')[0] ?? '';

const upstreams = new Map<string, FaultUpstream>();
let streaming: Served;
let receive: (response: ServerResponse) => void = () => undefined;
beforeAll(async () => {
  for (const [kind, [good, , empty]] of Object.entries(KINDS)) {
    const healthyReply = { body: JSON.stringify(fixture(good)) };
    const replies = { empty_answer: { body: JSON.stringify(empty) } };
    upstreams.set(kind, await startFaultUpstream({ healthyReply, replies }));
  }
  streaming = await serve((request, response) => {
    response.on('error', () => undefined);
    request.resume().once('end', () => receive(response));
  });
});
afterAll(async () => {
  for (const upstream of upstreams.values()) await upstream.close();
  await streaming.close();
});

/** Makes a call, lets the deadline pass where it is told to, and closes the gateway. */
async function endingOf(
  form: Form,
  url: string,
  { onPart, silence }: { onPart?: () => void; silence?: Promise<unknown> },
) {
  const clock = createFakeClock(Date.UTC(2026, 10, 21));
  const ledger = memoryLedger({ credits: { acme: '1.00' }, clock });
  const logged: string[] = [];
  const gateway = createGateway({
    providers: [exa({ apiKey: 'exa-key', baseUrl: url })],
    apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit: null }]),
    ledger,
    endpoints: endpointsOf(MODELS),
    maxAttempts: 1,
    maxUpstreamBytes: MAX_UPSTREAM_BYTES,
    clock,
    logger: { warn: () => undefined, error: (_fields, message) => void logged.push(message) },
  });
  const call = { form, query: 'a', tag: 'a tag', apiKey: KEY, idempotencyKey: undefined, cache: undefined };
  const replying = makeCall(gateway, clock, { ...call, hangsUpAfterMs: null, ...(onPart && { onPart }) });
  if (silence !== undefined) {
    await silence;
    await clock.advance(DEADLINE_MS);
  }
  const reply = await replying;
  await gateway.close();
  expect(logged).toEqual([]);
  const { held, usage } = await ledger.organizationTotals('acme');
  const { entries } = await ledger.entries({ keyId: 'key' });
  return { ...reply, money: { held, usage, entries: entries.map(({ kind, amount }) => [kind, amount]) } };
}

const chargeOf = ({ entries }: Ending) => entries.find(([kind]) => kind === 'charge')?.[1];
const moneyOf = (ending: Ending) => ({ held: 0n, usage: chargeOf(ending) ?? 0n, entries: ending.entries });

/** What becomes of a fault. */
function expected(form: Form, fault: Fault): Ending {
  const [, price, , nothing] = KINDS[kindOf(form)]!;
  const { reason } = FAULT_EXPECTATIONS[fault];
  if (fault === 'empty_answer') return nothing;
  return { reason, entries: reason === 'upstream_timeout' ? [['loss', price]] : [] };
}

describe.each(FORMS.map((form) => [form.name, form] as const))('%s', (_name, form) => {
  it.each(FAULTS)(
    'ends as documented where the vendor fails with %s, and is charged for a delivered reply alone',
    async (fault) => {
      const upstream = upstreams.get(kindOf(form))!;
      const before = upstream.requests.length;
      await upstream.setFault(fault);
      const ending = expected(form, fault);
      const { reason } = ending;
      const silence = reason === 'upstream_timeout' ? { silence: upstream.served(before + 1) } : {};
      const reply = await endingOf(form, upstream.url, silence);
      const { status } = reason === undefined ? { status: 200 } : REASONS[reason];
      expect([reply.status, 'retry-after' in reply.headers]).toEqual([status, status === 503]);
      expect(reply.text.toLowerCase()).toContain(reason ?? '');
      expect([costIn(form, reply), reply.money]).toEqual([chargeOf(ending), moneyOf(ending)]);
    },
  );
});

it('is asked of every path of every dialect', () => {
  const endpoints = endpointsOf(MODELS);
  expect(Object.keys(endpoints).sort()).toEqual(Object.keys(dialects).sort());
  const served = Object.values(endpoints as Readonly<Record<string, Dialect | readonly Dialect[]>>).flat();
  const paths = FORMS.map(({ path }) => `/api/v1/${path}`);
  expect(served.map(({ path }) => path).filter((path) => !paths.includes(path))).toEqual([]);
});

const STREAM = RECORDED_STREAMS.find(({ model }) => model === MODELS.answer)!;
const STREAMED = FORMS.filter(({ isStreamed }) => isStreamed);

describe.each(STREAMED.map((form) => [form.name, form] as const))('%s', (_name, form) => {
  it.each(Object.entries(STREAM_FAULTS))(
    'with %s behind its first text ends with the error, and is not charged',
    async (_fault, { play, reason }: StreamFault) => {
      const events = eventsOf(STREAM);
      let deliver = () => {};
      const delivered = new Promise<void>((resolve) => (deliver = resolve));
      const played = new Promise<void>((resolve) => {
        receive = (response) => {
          void begin(response, events.slice(0, STREAM.opening))
            .then(() => delivered)
            .then(() => play(response, { next: events[STREAM.opening] ?? '', error: STREAM.error.event }))
            .then(resolve);
        };
      });
      const silence = reason === 'upstream_timeout' ? { silence: played } : {};
      const reply = await endingOf(form, streaming.url, { onPart: deliver, ...silence });
      expect([reply.status, costIn(form, reply)]).toEqual([200, undefined]);
      expect(reply.text.toLowerCase()).toContain(reason === 'of the provider' ? STREAM.error.reason : reason);
      expect(reply.money).toEqual(moneyOf({ entries: [['loss', parseUsd(STREAM.listPrice)]] }));
    },
  );
});
