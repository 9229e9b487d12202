import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProviderQuestion } from '../../../packages/core/src/provider-kit/provider.js';
import type { Exchange } from './attempt.js';
import { type HideKey, withoutKey } from './hide-key.js';

export interface FixtureOptions {
  readonly folder: string;
  /** The date is appended to the name. */
  readonly name: string;
  readonly recordedAt: Date;
  readonly hide: HideKey;
}

/**
 * Writes each reply as a fixture, with date and question: `status`, `headers` and `reply` are named as in the fixtures of `providerConformance`. Only
 * headers that the adapter reads are kept, and the key is hidden everywhere.
 *
 * @returns the paths.
 */
export function writeFixtures(
  call: ProviderQuestion,
  exchanges: readonly Exchange[],
  options: FixtureOptions,
): string[] {
  const { folder, name, recordedAt, hide } = options;
  const date = recordedAt.toISOString().slice(0, 10);
  mkdirSync(folder, { recursive: true });
  return exchanges.flatMap(({ request, response, headers }, index) => {
    if (response === undefined) return [];
    const fixture = {
      recordedAt: recordedAt.toISOString(),
      model: call.model.slug,
      query: call.query,
      request: { method: request.method, url: request.url.href, json: request.json },
      status: response.status,
      headers: Object.fromEntries(headers),
      reply: parsedReply(response.text),
    };
    const part = exchanges.length === 1 ? '' : `-${index + 1}`;
    const path = join(folder, `${name}-${date}${part}.json`);
    writeFileSync(path, `${JSON.stringify(withoutKey(fixture, hide), null, 2)}\n`);
    return [path];
  });
}

/** A JSON reply as its value; any other reply, such as a stream, unchanged. */
export function parsedReply(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
