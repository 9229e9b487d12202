import {
  type AnswerFixture,
  type FailureFixture,
  type PortFixture,
  type ProviderConformanceOptions,
  providerConformance,
} from '@searchgate/testing';
import { describe, it } from 'vitest';
import type { UpstreamReason } from '../src/base/errors/reasons.js';
import type { Provider, ProviderSettings } from '../src/provider-kit/provider.js';

/** Status, name in errors.json, meaning, and the wait in its body. */
export type ErrorRow = readonly [status: number, name: string, reason: UpstreamReason, retryAfterMs?: number];

/** Rows of errors by their meaning: `{ upstream_error: '500 internal, 502 html' }`. */
export const meanings = (named: Partial<Record<UpstreamReason, string>>): ErrorRow[] =>
  Object.entries(named).flatMap(([reason, errors]) =>
    errors.split(', ').map((error): ErrorRow => {
      const [status = '', name = ''] = error.split(' ');
      return [Number(status), name, reason as UpstreamReason];
    }),
  );

/** Name of a reply with status 200 and no answer, its meaning, and its cost. */
export type UnusableRow = readonly [name: string, reason: UpstreamReason, cost?: bigint];

type More<F extends AnswerFixture | PortFixture<'search'> | PortFixture<'extract'>> = Partial<
  Omit<F, 'kind' | 'name' | 'model'>
>;

/** Without a cost: nothing is reported. */
type Costless<Outcome extends { readonly cost: object }> = Omit<Outcome, 'cost'> & Partial<Pick<Outcome, 'cost'>>;

/** A reply of a model, named for its test, with the expected answer. */
export const answered = (
  model: string,
  name: string,
  reply: unknown,
  answer: Costless<AnswerFixture['answer']>,
  more: More<AnswerFixture> = {},
): AnswerFixture => ({ name, model, reply, answer: { cost: {}, ...answer }, ...more });

/** The same of a search. */
export const searched = (
  model: string,
  name: string,
  reply: unknown,
  outcome: Costless<PortFixture<'search'>['outcome']>,
  more: More<PortFixture<'search'>> = {},
): PortFixture<'search'> => ({ kind: 'search', name, model, reply, outcome: { cost: {}, ...outcome }, ...more });

/** The same of an extract. */
export const extracted = (
  model: string,
  name: string,
  reply: unknown,
  outcome: Costless<PortFixture<'extract'>['outcome']>,
  more: More<PortFixture<'extract'>> = {},
): PortFixture<'extract'> => ({ kind: 'extract', name, model, reply, outcome: { cost: {}, ...outcome }, ...more });

/** The fixtures of a provider's errors. */
export const errorFixtures = (
  model: string,
  rows: readonly ErrorRow[],
  errors: Readonly<Record<string, unknown>>,
): FailureFixture[] =>
  rows.map(([status, name, reason, retryAfterMs = null]) => {
    if (!Object.hasOwn(errors, name)) throw new RangeError(`errors.json has no ${name}`);
    const failure = { reason, phase: status === 200 ? 'shape' : 'headers', retryAfterMs } as const;
    return { name: `the error ${name} with ${status}`, model, status, reply: errors[name], failure };
  });

/** The fixtures of a provider's unusable replies. */
export const unusableFixtures = (
  model: string,
  rows: readonly UnusableRow[],
  reply: (name: string) => unknown,
): FailureFixture[] =>
  rows.map(([name, reason, cost]) => ({
    name: `the unusable reply ${name}`,
    model,
    reply: reply(name),
    failure: { reason, phase: 'shape', ...(cost === undefined ? {} : { cost }) },
  }));

const register: ProviderConformanceOptions['it'] = it;

/** What the fast tier (`npm test`) leaves to `npm run check`: rows that try thousands of changed replies. */
const LONG_ROWS =
  /^(?:survives any value|loses only|refuses a truncat|reads null as an absent field (?:too|in the stream))/;
/** It runs rows that show the upstream client more than a vendor for a vendor of each port. */
const CLIENT_ROWS =
  /^(?:hides the key when a (?!401)|does not wait|classifies (?:no_|headers_|slow_|body_|length_|two_|inform|oversized|connection_))/;
const VENDORS_OF_CLIENT_ROWS = ['exa', 'jina'];

/** Runs `providerConformance` for a built-in provider. */
export function testProvider(
  create: (settings: ProviderSettings) => Provider,
  secret: string,
  rules: Omit<ProviderConformanceOptions, 'describe' | 'it' | 'secret' | 'create'>,
): void {
  const isFast = process.env['SEARCHGATE_TESTS'] === 'fast';
  const showsClient = VENDORS_OF_CLIENT_ROWS.includes(create({ apiKey: secret }).id);
  const isLeftOut = (row: string) => isFast && (LONG_ROWS.test(row) || (CLIENT_ROWS.test(row) && !showsClient));
  providerConformance({
    describe,
    it: (row, run) => (isLeftOut(row) ? undefined : register(row, run)),
    secret,
    create: (baseUrl, limits) => create({ apiKey: secret, baseUrl, ...limits }),
    ...rules,
  });
}
