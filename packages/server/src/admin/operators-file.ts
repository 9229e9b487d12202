import type { Environment } from '../environment.js';
import { readJsonFile } from '../json-file.js';
import { type Operator, readOperators } from '../login/operators.js';
import { changeFile } from '../private-file.js';
import { problem } from '../problems.js';

/** The operators in the file of SEARCHGATE_CONFIG; `undefined` if it has none. @throws ConfigurationError for a file that is missing or wrong. */
export function operatorsOfFile(environment: Environment): readonly Operator[] | undefined {
  return readOperators(readJsonFile(configFile(environment)), environment);
}

/** Changes the operators in the file, and nothing else in it. @throws ConfigurationError if the result would be wrong; then the file stays as it is. */
export function changeOperators(
  environment: Environment,
  change: (operators: readonly Operator[]) => readonly Operator[],
): void {
  const file = configFile(environment);
  changeFile({ file, what: 'SEARCHGATE_CONFIG' }, () => {
    const content = readJsonFile(file);
    readOperators(content, environment);
    // As they stand in the file, with their references to variables.
    const { operators = [], ...rest } = content as { readonly operators?: readonly Operator[] };
    const next = { ...rest, operators: change(operators) };
    readOperators(next, environment);
    return `${JSON.stringify(next, null, 2)}\n`;
  });
}

function configFile({ SEARCHGATE_CONFIG: file }: Environment): string {
  if (file) return file;
  throw problem('SEARCHGATE_CONFIG', 'nothing', 'the path of the JSON file, which holds the operators');
}
