import type { GatewayOptions } from '@searchgate/core';
import type { Provider } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import type { ServerConfig } from './config-file.js';
import { modelsOf } from './create-providers.js';
import { readJsonFile } from './json-file.js';
import { problem, withPaths } from './problems.js';

const schema = z.record(
  z.string(),
  z.object({ day: z.iso.date(), version: z.string(), verdict: z.enum(['ok', 'warning', 'fault']) }),
);

/** Reads a `verified.json`: the last verdict of each model, by slug. @throws ConfigurationError naming `verified`. */
export function readVerified(path: string): z.output<typeof schema> {
  const content = withPaths(
    () => 'verified',
    () => readJsonFile(path),
  );
  const { data } = schema.safeParse(content);
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
    const { day, verdict = 'fault' } = found[slug] ?? {};
    return verdict === 'fault' ? [] : [[slug, { verifiedAt: day, ...models[slug] }] as const];
  });
  return { ...models, ...Object.fromEntries(days) };
}
