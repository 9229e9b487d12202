import { GatewayError, isGatewayError } from './gateway-error.js';

export interface ConfigurationProblem {
  /** Where in the options, such as `providers[0].baseUrl`. */
  readonly path: string;
  /** What was found there, shortened; secrets are never printed. */
  readonly found: string;
  /** What would have been right. */
  readonly expected: string;
  /** The nearest known name, when the path or the value looks like a typing mistake. */
  readonly nearest?: string | undefined;
}

const HELP = 'See https://github.com/searchgate/searchgate/blob/main/docs/errors.md#invalid_configuration';

/** Wrong options, thrown where the object is built and never at request time. Its message has a line for every problem, then a link. */
export class ConfigurationError extends GatewayError {
  override readonly name = 'ConfigurationError';
  readonly reason = 'invalid_configuration';
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

/** Narrows to wrong options. */
export function isConfigurationError(value: unknown): value is ConfigurationError {
  return isGatewayError(value) && value.name === 'ConfigurationError';
}
