import { join, relative } from 'node:path';
import { CommanderError } from 'commander';
import { isUpstreamError } from '../../../packages/core/src/base/errors/upstream-error.js';
import type { ProviderQuestion } from '../../../packages/core/src/provider-kit/provider.js';
import { type Attempt, attempt } from './attempt.js';
import { describeAttempt, describeFailure, rawReplies } from './describe-attempt.js';
import { findModel, UsageError } from './find-model.js';
import { writeFixtures } from './fixture-file.js';
import { type HideKey, hideKey } from './hide-key.js';
import { parseTryOptions, type TryOptions } from './try-options.js';

/** The exit codes. */
const EXIT = { answered: 0, failed: 1, misused: 2 } as const;

export interface TryContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  now(): Date;
  out(text: string): void;
  err(text: string): void;
}

/** Asks one provider once, and prints or records the reply. @returns the exit code. */
export async function runTry(argv: readonly string[], context: TryContext): Promise<number> {
  try {
    const options = parseTryOptions(argv, context);
    const { provider, model, apiKey } = findModel(options.slug, options.settings, context.environment);
    const call = { model, query: options.question };
    const hide = hideKey(apiKey);
    const made = await attempt(provider, call).catch((error: unknown) => {
      const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
      context.err(`${hide(`${model.slug}: a bug of the adapter, which may throw only an UpstreamError:\n${words}`)}\n`);
    });
    return made === undefined ? EXIT.failed : report(call, made, { options, context, hide });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.answered : EXIT.misused;
    if (!(error instanceof UsageError)) throw error;
    context.err(`${error.message}\n`);
    return EXIT.misused;
  }
}

interface Reporting {
  readonly options: TryOptions;
  readonly context: TryContext;
  readonly hide: HideKey;
}

function report(call: ProviderQuestion, made: Attempt, { options, context, hide }: Reporting): number {
  const { raw, record, into } = options;
  const recordedAt = context.now();
  const text = raw ? rawReplies(made.exchanges) : describeAttempt(call, made, recordedAt.getTime());
  context.out(`${hide(text)}\n`);
  if (record !== undefined) {
    const folder = into ?? fixturesOf(call);
    for (const path of writeFixtures(call, made.exchanges, { folder, name: record, recordedAt, hide }))
      context.err(`recorded ${relative(process.cwd(), path)}\n`);
  }
  if (!isUpstreamError(made.ending)) return EXIT.answered;
  context.err(`${call.model.slug} failed: ${describeFailure(made.ending)}\n`);
  return EXIT.failed;
}

function fixturesOf({ model }: ProviderQuestion): string {
  const [id = ''] = model.slug.split('/');
  return join(import.meta.dirname, '../../../packages/core/src/providers', id, 'fixtures');
}
