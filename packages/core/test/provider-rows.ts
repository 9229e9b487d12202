import {
  type AnswerFixture,
  type ExtractFixture,
  type FailureFixture,
  type ProviderConformanceOptions,
  providerConformance,
  type SearchFixture,
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

type More<F extends AnswerFixture | SearchFixture | ExtractFixture> = Partial<Omit<F, 'kind' | 'name' | 'model'>>;

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
  outcome: Costless<SearchFixture['outcome']>,
  more: More<SearchFixture> = {},
): SearchFixture => ({ kind: 'search', name, model, reply, outcome: { cost: {}, ...outcome }, ...more });

/** The same of an extract. */
export const extracted = (
  model: string,
  name: string,
  reply: unknown,
  outcome: Costless<ExtractFixture['outcome']>,
  more: More<ExtractFixture> = {},
): ExtractFixture => ({ kind: 'extract', name, model, reply, outcome: { cost: {}, ...outcome }, ...more });

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

/** Rows that try thousands of changed replies: the fast tier (`npm test`) leaves them to `npm run check`. */
const LONG_ROWS =
  /^(?:survives any value|loses only|refuses a truncat|reads null as an absent field (?:too|in the stream))/;
const register: ProviderConformanceOptions['it'] = it;
const isLeftOut = (row: string) => process.env['SEARCHGATE_TESTS'] === 'fast' && LONG_ROWS.test(row);

/** Runs `providerConformance` for a built-in provider. */
export function testProvider(
  create: (settings: ProviderSettings) => Provider,
  secret: string,
  rules: Omit<ProviderConformanceOptions, 'describe' | 'it' | 'secret' | 'create'>,
): void {
  providerConformance({
    describe,
    it: (row, run) => (isLeftOut(row) ? undefined : register(row, run)),
    secret,
    create: (baseUrl, limits) => create({ apiKey: secret, baseUrl, ...limits }),
    ...rules,
  });
}
