import { GatewayError, isGatewayError } from './gateway-error.js';

/** One wrong option. */
export interface ConfigurationProblem {
  /** The path in the options, such as `providers[0].baseUrl`. */
  readonly path: string;
  /** The found value, shortened; secrets are never printed. */
  readonly found: string;
  /** The expected value. */
  readonly expected: string;
  /** The nearest known name, if the path or the value looks like a typing mistake. */
  readonly nearest?: string | undefined;
}

const HELP = 'See https://github.com/searchgate/searchgate/blob/main/docs/errors.md#invalid_configuration';

/** Wrong options. Thrown when the object is built, never at request time. The message has a line for every problem, then a link. */
export class ConfigurationError extends GatewayError {
  override readonly name = 'ConfigurationError';
  readonly reason = 'invalid_configuration';
  /** Every problem of the options, not only the first. */
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    super([...problems.map(describeProblem), HELP].join('\n'));
    this.problems = problems;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), problems: this.problems };
  }
}

function describeProblem({ path, found, expected, nearest }: ConfigurationProblem): string {
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return `${path}: found ${found}, expected ${expected}.${hint}`;
}

/** Narrows a value to a {@link ConfigurationError}. */
export function isConfigurationError(value: unknown): value is ConfigurationError {
  return isGatewayError(value) && value.name === 'ConfigurationError';
}
