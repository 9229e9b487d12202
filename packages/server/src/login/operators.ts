import { ledgerIdSchema } from '@searchgate/core/ledger';
import { parseOptions } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import type { Environment } from '../environment.js';
import { resolveVariables } from '../json-file.js';
import { isSlowHash } from './password.js';

/** What accounts and management tokens may do, from least to most. */
export const ROLES = ['viewer', 'reader', 'tenant', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** The account that the one password for all opens. */
export const SHARED_NAME = 'page';

const NAME = '1 to 64 printable ASCII characters without spaces';
const SOME = 'an array of 1 to 1,000 ids';
const ROLE = `one of ${ROLES.join(', ')}`;

/** The name in the record of changes. */
export const nameSchema = z.string('a name').regex(/^[\x21-\x7e]{1,64}$/, NAME);
export const roleSchema = z.enum(ROLES, ROLE);

const operatorSchema = z.strictObject(
  {
    name: nameSchema.refine((name) => name !== SHARED_NAME, `another name: ${SHARED_NAME} has the shared password`),
    // The time of a fast hash would tell which names exist.
    passwordHash: z.string('a string').refine(isSlowHash, 'what `searchgate admin operators add` writes'),
    role: roleSchema,
    organizations: z.union(
      [z.literal('all'), z.array(ledgerIdSchema).min(1, SOME).max(1_000, SOME)],
      `"all" or ${SOME}`,
    ),
  },
  'an object',
);

/** An account for the page. */
export type Operator = Readonly<z.output<typeof operatorSchema>>;

export const operatorsSchema = z
  .array(operatorSchema, 'an array of operators')
  .max(1_000, 'at most 1,000 operators')
  .superRefine((operators, context) => {
    const names = operators.map(({ name }) => name);
    for (const [index, name] of names.entries())
      if (names.indexOf(name) < index)
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'a unique name' });
  });

const anyContent = z.looseObject({ operators: z.unknown().optional() }, 'a JSON object');
const ofOperators = z.object({ operators: operatorsSchema.optional() });

/**
 * The accounts in the content of a configuration file, whatever else is wrong in it: a mistake elsewhere must keep nobody in.
 *
 * @returns `undefined` if the file has no `operators`. @throws ConfigurationError listing every problem.
 */
export function readOperators(content: unknown, environment: Environment): readonly Operator[] | undefined {
  const { operators } = parseOptions(anyContent, content, '');
  return parseOptions(ofOperators, resolveVariables({ operators }, environment), '').operators;
}
