import { unwatchFile, watchFile } from 'node:fs';
import type { Environment } from '../environment.js';
import { readJsonFile } from '../json-file.js';
import { messageOf } from '../problems.js';
import { redactorOf } from '../redactor.js';
import { type Operator, readOperators } from './operators.js';

const LOOK_EVERY_MS = 1_000;

/** The accounts of the file as it is now; none without a file. */
export interface WatchedOperators {
  /** `undefined` if the file has no `operators`. */
  current(): readonly Operator[] | undefined;
  stop(): void;
}

/**
 * Reads the accounts again soon after the file has changed, without a reload: who is removed has to be out on every machine. A file that is wrong or half
 * written changes nothing.
 */
export function watchOperators(
  file: string | null,
  environment: Environment,
  log: { error(fields: object, message: string): void },
): WatchedOperators {
  if (file === null) return { current: () => undefined, stop: () => undefined };
  let operators: readonly Operator[] | undefined = [];
  function read(configFile: string): void {
    try {
      operators = readOperators(readJsonFile(configFile), environment);
    } catch (error) {
      const problem = redactorOf(environment)(messageOf(error));
      log.error({ configFile, problem }, 'the accounts of operators were not read; the previous ones stay in use');
    }
  }
  const onChange = () => read(file);
  // It asks for the state of the file aside, also on a file system that hangs.
  watchFile(file, { persistent: false, interval: LOOK_EVERY_MS }, onChange);
  read(file);
  return { current: () => operators, stop: () => unwatchFile(file, onChange) };
}
