import { ANSWERED, ask, askRaw, type HttpCase, invalid, refused, row } from '../http-case.js';
import { QUERIES } from '../stub-provider.js';
import { after, during, named, replayed } from './named-call.js';

const CONFLICT = 'conflict_error';

const REPLAY_CASES: readonly HttpCase[] = [
  {
    name: 'answers the first call under an Idempotency-Key as any other',
    request: named(ask()),
    expect: { ...ANSWERED, headers: { 'idempotent-replayed': null }, event: { replayed: false, attempts: 1 } },
  },
  replayed({ name: 'replays an answer to the last byte, and charges once', request: ask(), expect: ANSWERED }),
  {
    ...row('reports in the event of a replay that no provider was asked and nothing charged', ask(), {
      status: 200,
      headers: { 'idempotent-replayed': 'true', 'server-timing': /^gateway;dur=\d+\.\d, upstream;dur=0\.0$/ },
      event: {
        replayed: true,
        cost: null,
        attempts: 0,
        model: 'stub/flat',
        provider: null,
        requestedModel: 'stub/flat',
      },
    }),
    before: after(ask()),
  },
  replayed({
    ...row('compares what is asked, not how it is written', ask(), ANSWERED),
    again: askRaw('{ "include_citations": true,\n"query":"When did it open\\u003f", "model":"stub/flat", "n":1 }'),
  }),
  replayed({
    name: 'replays characters beyond ASCII',
    request: ask({ query: QUERIES.echo }),
    expect: { status: 200, charge: { amount: '0.005', model: 'stub/flat' } },
  }),
  {
    name: 'takes the same Idempotency-Key of another API key for another name',
    request: ask({ include_citations: false }, { key: 'limited' }),
    before: after(ask()),
    expect: {
      status: 200,
      headers: { 'idempotent-replayed': null },
      charge: { amount: '0.005', model: 'stub/flat' },
      event: { keyId: 'limited', replayed: false },
    },
  },
  {
    name: 'takes an Idempotency-Key of 255 characters, spaces and all',
    request: ask({}, { headers: { 'idempotency-key': `a ${'~'.repeat(252)}!` } }),
    expect: ANSWERED,
  },
];

const REFUSAL_CASES: readonly HttpCase[] = [
  ...Object.entries({ 'is empty': '', 'is too long': 'x'.repeat(256), 'is not ASCII': 'caf\u00e9' }).map(
    ([fault, key]): HttpCase => ({
      name: `refuses an Idempotency-Key that ${fault}`,
      request: ask({}, { headers: { 'idempotency-key': key } }),
      expect: refused(400, invalid('invalid_idempotency_key'), { event: { attempts: 0 } }),
    }),
  ),
  {
    name: 'asks to try again while the first call is under way',
    request: ask({ query: QUERIES.wait }),
    before: during(ask({ query: QUERIES.wait })),
    expect: refused(
      409,
      { type: CONFLICT, reason: 'idempotency_in_progress' },
      { headers: { 'retry-after': '1' }, event: { attempts: 0 } },
    ),
  },
  {
    name: 'refuses another question under the same Idempotency-Key while the first is under way',
    request: ask(),
    before: during(ask({ query: QUERIES.wait })),
    expect: refused(422, { type: CONFLICT, reason: 'idempotency_key_reused' }, { headers: { 'retry-after': null } }),
  },
  ...Object.entries({
    query: { query: 'When did it close?' },
    model: { model: 'stub/metered' },
    'wish for citations': { include_citations: false },
  }).map(
    ([field, change]): HttpCase => ({
      name: `refuses another ${field} under the Idempotency-Key of a finished call`,
      request: ask(change),
      before: after(ask()),
      expect: refused(422, { type: CONFLICT, reason: 'idempotency_key_reused' }, { event: { attempts: 0 } }),
    }),
  ),
];

/** The replies to calls repeated under an `Idempotency-Key`, which cost nothing. */
export const IDEMPOTENCY_CASES: readonly HttpCase[] = [...REPLAY_CASES, ...REFUSAL_CASES];
