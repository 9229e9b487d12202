/** The roles, by what they may. */
export const ROLES = ['viewer', 'reader', 'tenant', 'operator'] as const;
export type Role = (typeof ROLES)[number];
