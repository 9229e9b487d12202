import { stat } from 'node:fs/promises';
import type { Environment } from '../environment.js';
import { readJsonFile } from '../json-file.js';
import { messageOf } from '../problems.js';
import { redactorOf } from '../redactor.js';
import type { LoginLog } from './login.js';
import { type Operator, readOperators } from './operators.js';

const LOOK_EVERY_MS = 1_000;

/** The accounts of the file as it is now. */
export interface WatchedOperators {
  /** `undefined` if the file has no `operators`, or there is no file. */
  current(): readonly Operator[] | undefined;
  stop(): void;
}

interface WatchDeps {
  /** The configuration file; `null` for none. */
  readonly file: string | null;
  readonly environment: Environment;
  readonly log: LoginLog & { error(fields: object, message: string): void };
}

/**
 * Reads the accounts again soon after the file has changed, without a reload: who is removed has to be out on every machine. A file that is wrong or half
 * written changes nothing.
 */
export function watchOperators(
  first: readonly Operator[] | undefined,
  { file, environment, log }: WatchDeps,
): WatchedOperators {
  let operators = first;
  let seen = '';
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  function read(configFile: string): void {
    try {
      const next = readOperators(readJsonFile(configFile), environment);
      if (JSON.stringify(next) === JSON.stringify(operators)) return;
      operators = next;
      log.info({ operators: next?.map(({ name }) => name) ?? null }, 'the accounts of operators have changed');
    } catch (error) {
      const problem = redactorOf(environment)(messageOf(error));
      log.error({ configFile, problem }, 'the accounts of operators were not read; the previous ones stay in use');
    }
  }

  async function look(configFile: string): Promise<void> {
    const state = await stat(configFile).then(
      ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
      () => 'missing',
    );
    // The first look reads too: the file may have changed since the start has read it.
    if (state !== seen && !isStopped) read(configFile);
    seen = state;
    // One look at a time, also on a file system that hangs.
    if (!isStopped) timer = setTimeout(() => void look(configFile), LOOK_EVERY_MS).unref();
  }

  if (file !== null) void look(file);
  return {
    current: () => operators,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
