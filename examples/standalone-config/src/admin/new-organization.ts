import type { Administration } from '@searchgate/core/administration';

/** Whether a command is about to make an organization known by naming it, which may be a slip of the pen. */
export async function isNewOrganization({ organizations }: Administration, id: string): Promise<boolean> {
  return (await organizations.get(id)) === undefined;
}

export function newOrganizationText(id: string): string {
  return `Organization ${id} was not known before.`;
}
