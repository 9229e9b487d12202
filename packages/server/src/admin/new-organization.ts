import { ConfigurationError } from '@searchgate/core';
import { parseOptions } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { isAgreed } from '../agreement.js';
import type { Environment } from '../environment.js';
import { readJsonFile } from '../json-file.js';
import type { AdminSession } from './runner.js';

const EXPECTED = 'an organization that exists; to make it, add --create';
/** The largest page: further organizations are not suggested. */
const MOST_NAMES = 1_000;

/**
 * Whether a command makes an organization by naming it. The name may be a typing mistake, so a terminal is asked.
 *
 * @param create makes it without a question.
 * @throws ConfigurationError for an organization that is not to be made.
 */
export async function makesOrganization(
  { administration: { organizations }, context }: Pick<AdminSession, 'administration' | 'context'>,
  orgId: string,
  create = false,
): Promise<boolean> {
  if ((await organizations.get(orgId)) !== undefined) return false;
  if (create) return true;
  const { items } = await organizations.list({ limit: MOST_NAMES });
  const known = [...configuredIds(context.environment), ...items.map(({ id }) => id)];
  try {
    parseOptions(z.enum(known, EXPECTED), orgId, '--org');
  } catch (error) {
    const nearest = error instanceof ConfigurationError ? error.problems[0]?.nearest : undefined;
    const hint = nearest === undefined ? '.' : `; did you mean ${nearest}?`;
    if (!(await isAgreed(`There is no organization ${orgId}${hint} Create it?`, context))) throw error;
  }
  return true;
}

export function newOrganizationText(orgId: string): string {
  return `Organization ${orgId} was not known before.`;
}

/** The organizations of the file, which the next start of the service makes. */
function configuredIds({ SEARCHGATE_CONFIG: file }: Environment): string[] {
  const { organizations } = ((file && readJsonFile(file)) || {}) as { organizations?: unknown };
  const entries = Array.isArray(organizations) ? (organizations as ({ id?: unknown } | null)[]) : [];
  return entries.map((entry) => entry?.id).filter((id) => typeof id === 'string');
}
