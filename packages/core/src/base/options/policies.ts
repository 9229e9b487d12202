import { z } from 'zod';

/** Most policies of a provider, and of a call. */
export const MAX_POLICIES = 8;
export const POLICY_PATTERN = '^[a-z][a-z0-9_-]{0,31}$';

const POLICY = 'a lower-case letter, then at most 31 lower-case letters, digits, "-" and "_"';

/** The policies that a host states for a provider. */
export const policiesSchema = z
  .array(z.string(POLICY).regex(new RegExp(POLICY_PATTERN), POLICY), 'an array of policies such as ["zdr", "eu"]')
  .max(MAX_POLICIES, `at most ${MAX_POLICIES} policies`);

const asked = policiesSchema.min(1);

/** The policies that a call requires, each once and sorted, so that equal requirements are equal values. @returns `undefined` for a wrong value. */
export function readPolicies(value: unknown): readonly string[] | undefined {
  const { data } = asked.safeParse(value);
  return data && [...new Set(data)].sort();
}
