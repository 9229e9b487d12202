import type { Administration } from '@searchgate/core/administration';

/** Whether a command would create an organization by naming it. The name may be a typing mistake. */
export async function isNewOrganization({ organizations }: Administration, id: string): Promise<boolean> {
  return (await organizations.get(id)) === undefined;
}

export function newOrganizationText(id: string): string {
  return `Organization ${id} was not known before.`;
}
