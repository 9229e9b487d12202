import type { z } from 'zod';

/** Zod's names of types and formats, in the words of our messages. */
const NAMES: Readonly<Partial<Record<string, string>>> = {
  object: 'an object',
  record: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  datetime: 'a time such as 2026-11-21T12:00:00Z',
  regex: 'a text of another form',
};
const UNITS: Readonly<Partial<Record<string, string>>> = { string: ' characters', array: ' items' };

/** The expected value of an issue, for the `error` of a parse whose messages people see: where a schema has no message, they would see zod's. */
export function expectedValue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return NAMES[issue.expected] ?? issue.expected;
    case 'invalid_format':
      return NAMES[issue.format] ?? issue.format;
    case 'invalid_value':
      return issue.values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(' or ');
    case 'too_small':
      return `${issue.inclusive === false ? 'above' : 'at least'} ${issue.minimum}${UNITS[issue.origin] ?? ''}`;
    case 'too_big':
      return `${issue.inclusive === false ? 'below' : 'at most'} ${issue.maximum}${UNITS[issue.origin] ?? ''}`;
    case 'invalid_union':
      return [...new Set(issue.errors.map(([first]) => first?.message))].join(' or ');
    case 'unrecognized_keys':
      return 'no such field';
    default:
      return 'another value';
  }
}
