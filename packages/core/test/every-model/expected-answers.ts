import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type NanoUsd, parseUsd } from '../../src/base/money.js';

/** The expected answer to a caller, written by hand from the provider's reply and prices. */
export interface ExpectedAnswer {
  /** The provider's reply: a JSON document or a stream of events, byte for byte. */
  readonly reply: Buffer;
  readonly contentType: string;
  readonly answer: string;
  /** The same without its citation markers. */
  readonly answerWithoutCitations: string;
  readonly citations: readonly { readonly title: string; readonly url: string; readonly snippet: string }[];
  readonly cost: NanoUsd;
  readonly costSource: string;
}

const PROVIDERS = join(import.meta.dirname, '../../src/providers');

const expectations = z.array(
  z.strictObject({
    reply: z.string().regex(/\.(?:json|txt)$/),
    answer: z.string(),
    answerWithoutCitations: z.string(),
    citations: z.array(z.strictObject({ title: z.string(), url: z.string(), snippet: z.string() })),
    models: z.record(
      z.string(),
      z.strictObject({
        cost: z.string().transform(parseUsd),
        costSource: z.enum(['reported', 'computed', 'flat', 'ceiling']),
      }),
    ),
  }),
);

/**
 * The expectations in `fixtures/expected-answers.json` of a provider, by slug.
 *
 * @throws Error for a model that occurs twice, and for a missing or unknown field.
 */
export function expectedAnswers(providerId: string): ReadonlyMap<string, ExpectedAnswer> {
  const folder = join(PROVIDERS, providerId, 'fixtures');
  const file = join(folder, 'expected-answers.json');
  const expected = new Map<string, ExpectedAnswer>();
  if (!existsSync(file)) return expected;
  for (const { reply, models, ...answer } of expectations.parse(JSON.parse(readFileSync(file, 'utf8')))) {
    const contentType = reply.endsWith('.txt') ? 'text/event-stream' : 'application/json';
    for (const [slug, charged] of Object.entries(models)) {
      if (expected.has(slug)) throw new Error(`${file} expects two answers of ${slug}`);
      expected.set(slug, { ...answer, ...charged, contentType, reply: readFileSync(join(folder, reply)) });
    }
  }
  return expected;
}
