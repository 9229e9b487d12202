import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type NanoUsd, parseUsd } from '../../src/base/money.js';

/** What a caller has to get for a reply of a provider, written by hand from that reply and the provider's prices. */
export interface ExpectedAnswer {
  /** What the provider sends: a JSON document or a stream of events, byte by byte. */
  readonly reply: Buffer;
  readonly contentType: string;
  readonly answer: string;
  /** The same without its markers. */
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
 * What `fixtures/expected-answers.json` of a provider expects of its models, by slug.
 *
 * @throws Error when a model is in it twice, or a field is missing or unknown.
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
