import { chmodSync, chownSync, existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Environment } from '../environment.js';
import { readJsonFile } from '../json-file.js';
import { type Operator, readOperators } from '../login/operators.js';
import { problem } from '../problems.js';

const WHAT = 'SEARCHGATE_CONFIG';

/** The operators in the file of SEARCHGATE_CONFIG; `undefined` if it has none. @throws ConfigurationError for a file that is missing or wrong. */
export function operatorsOfFile(environment: Environment): readonly Operator[] | undefined {
  return readOperators(readJsonFile(fileOf(environment)), environment);
}

/**
 * Changes the operators in the file, and no other field. The file is replaced as a whole: no server reads a part of it. Owner and mode stay, and a link to it.
 *
 * @throws ConfigurationError if the result would be wrong, or the system's error; then the file stays as it is.
 */
export function changeOperators(
  environment: Environment,
  change: (operators: readonly Operator[]) => readonly Operator[],
): void {
  const file = realpathSync(fileOf(environment));
  const { mode, uid, gid } = statSync(file);
  const draft = `${file}.draft`;
  if (existsSync(draft))
    throw problem(WHAT, draft, 'no such file: another command is at work, or was killed; then remove it');
  // The draft keeps other commands out: none may lose what this one changes.
  writeFileSync(draft, '', { mode: 0o600, flag: 'wx' });
  try {
    const content = readJsonFile(file);
    readOperators(content, environment);
    // As they stand in the file, with their references to variables.
    const { operators = [], ...rest } = content as { readonly operators?: readonly Operator[] };
    const next = { ...rest, operators: change(operators) };
    readOperators(next, environment);
    chownSync(draft, uid, gid);
    chmodSync(draft, mode);
    writeFileSync(draft, `${JSON.stringify(next, null, 2)}\n`);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft);
    throw error;
  }
}

function fileOf({ SEARCHGATE_CONFIG: file }: Environment): string {
  if (file) return file;
  throw problem(WHAT, 'nothing', 'the path of the JSON file, which holds the operators');
}
