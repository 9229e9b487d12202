import type { ErrorDetails } from './error-details.js';
import { REASONS, type Reason } from './reasons.js';

/** The facts of an error that its text names. */
interface Fault {
  readonly reason: Reason;
  readonly param?: string | null | undefined;
  readonly details?: unknown;
}

/** Most wrong fields in a text. */
const MAX_NAMED = 3;

type NameOf = (name: string) => string;

/** The words of the reasons whose details help a caller. Many clients show the text of an error alone. */
const WORDS: {
  readonly [R in keyof ErrorDetails]?: (details: ErrorDetails[R], param: string, nameOf: NameOf) => string;
} = {
  invalid_field: ({ issues }) =>
    issues
      .slice(0, MAX_NAMED)
      .map(({ path, message }) => `${path} ${message}`.replace(/[^.?]$/, '$&.'))
      .join(' '),
  invalid_parameter: ({ allowed }, param) => `${param} must be ${allowed.join(' or ')}.`,
  method_not_allowed: ({ allow }) => `Use ${allow.join(' or ')}.`,
  model_not_found: ({ suggestions }) => didYouMean(suggestions),
  model_category_mismatch: ({ category, path }) =>
    `It is a model of category ${category}${path === null ? '' : `: send it to ${path}`}.`,
  unsupported_option: ({ options, models, ruled }, _param, nameOf) => {
    const others = models.join(' or ');
    if (ruled !== undefined)
      return `A domain rule of the API key or its organization needs ${nameOf(ruled)}.${others && ` Use ${others}.`}`;
    return `Leave out ${options.map(nameOf).join(', ')}${others && `, or use ${others}`}.`;
  },
};

/** Says in words what is at fault, and names the field. @param nameOf the transport's name of an option. @returns `undefined` for nothing to say. */
export function describeFault({ reason, param, details }: Fault, nameOf: NameOf = (name) => name): string | undefined {
  const name = nameOf(param ?? '');
  const words = (WORDS as { readonly [R in Reason]?: (details: never, ...names: [string, NameOf]) => string })[reason];
  const text = words === undefined || details === undefined ? '' : words(details as never, name, nameOf);
  const isNamed = `${REASONS[reason].message} ${text}`.includes(name);
  return [isNamed ? '' : `The field is ${name}.`, text].filter((part) => part !== '').join(' ') || undefined;
}

function didYouMean(names: readonly string[]): string {
  return names.length === 0
    ? 'GET /api/v1/models lists all.'
    : `Did you mean ${names.map((name) => `"${name}"`).join(' or ')}?`;
}
