import type { z } from 'zod';

interface References {
  readonly organizations?: readonly { readonly id: string }[] | undefined;
  readonly budgets?: readonly { readonly organizationId: string; readonly id: string }[] | undefined;
  readonly apiKeys?:
    | readonly { readonly organizationId: string; readonly budgets?: readonly string[] | undefined }[]
    | undefined;
}

/** Adds an issue for each id that is given twice, and for each name of an organization or a budget that the file does not have. */
export function checkReferences(
  { organizations = [], budgets = [], apiKeys = [] }: References,
  context: z.RefinementCtx,
): void {
  const refuse = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
  const ids = new Set<string>();
  for (const [index, { id }] of organizations.entries()) {
    if (ids.has(id)) refuse(['organizations', index, 'id'], 'a unique id');
    ids.add(id);
  }
  const someOrganization = someOf(ids, 'the id of one of organizations');
  const budgetsOf = new Map<string, Set<string>>();
  for (const [index, { organizationId, id }] of budgets.entries()) {
    if (!ids.has(organizationId)) refuse(['budgets', index, 'organizationId'], someOrganization);
    const own = budgetsOf.get(organizationId) ?? new Set();
    if (own.has(id)) refuse(['budgets', index, 'id'], 'an id that is unique in the organization');
    budgetsOf.set(organizationId, own.add(id));
  }
  for (const [index, { organizationId, budgets: named = [] }] of apiKeys.entries()) {
    if (!ids.has(organizationId)) refuse(['apiKeys', index, 'organizationId'], someOrganization);
    const own = budgetsOf.get(organizationId) ?? new Set();
    for (const [place, id] of named.entries()) {
      if (!own.has(id))
        refuse(['apiKeys', index, 'budgets', place], someOf(own, `the id of one of budgets of ${organizationId}`));
      else if (named.indexOf(id) < place) refuse(['apiKeys', index, 'budgets', place], 'each budget once');
    }
  }
}

const MOST_NAMED = 20;

/** A list for people, shortened if long. */
function someOf(ids: ReadonlySet<string>, expected: string): string {
  if (ids.size === 0) return `${expected}, where there is none`;
  return `one of ${[...ids].slice(0, MOST_NAMED).join(', ')}${ids.size > MOST_NAMED ? ', …' : ''}`;
}
