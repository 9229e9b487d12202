import type { GatewayOptions } from '@searchgate/core';
import type { Provider } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import type { ServerConfig } from './config-file.js';
import { modelsOf } from './create-providers.js';
import { readJsonFile } from './json-file.js';
import { problem, withPaths } from './problems.js';

const verdict = z.enum(['ok', 'warning', 'fault']);
const schema = z.record(z.string(), z.object({ day: z.iso.date(), version: z.string(), verdict }));

/** The last verdict of each model, by slug. */
export type Verified = z.output<typeof schema>;

/** Reads a `verified.json`. @throws ConfigurationError naming `verified`. */
export function readVerified(path: string): Verified {
  const { data } = withPaths(
    () => 'verified',
    () => schema.safeParse(readJsonFile(path)),
  );
  if (data === undefined) throw problem('verified', JSON.stringify(path), 'what `searchgate verify --record` writes');
  return data;
}

/** The changes of models, with the days of `verified` for the providers' models in which no fault was found. @throws ConfigurationError */
export function verifiedModels(
  { models = {}, verified }: Pick<ServerConfig, 'models' | 'verified'>,
  providers: readonly Provider[],
): NonNullable<GatewayOptions['models']> {
  const found = verified === undefined ? {} : readVerified(verified);
  const days = providers.flatMap(modelsOf).flatMap(({ slug }) => {
    const last = found[slug];
    return !last || last.verdict === 'fault' ? [] : [[slug, { verifiedAt: last.day, ...models[slug] }] as const];
  });
  return { ...models, ...Object.fromEntries(days) };
}
