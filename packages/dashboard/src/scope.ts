import { parseOptions } from '@searchgate/core/ledger';
import { z } from 'zod';
import { notFound } from './api/problem.js';
import { ROLES, type Role } from './roles.js';

/** The rights of a user. */
export interface Permission {
  /**
   * Viewers read; readers also read the questions and answers that are kept of calls; tenants are viewers who set the keys that their organizations have at
   * providers; operators make all changes, read all that readers do, and ask questions in the playground.
   */
  readonly role: Role;
  /** The visible organizations: their keys, usage and requests; at most 1,000. All users see the health of providers. */
  readonly organizations: 'all' | readonly string[];
  /** Who it is, for the record of changes: 1 to 256 characters. Default: `dashboard`. */
  readonly actor?: string | undefined;
}

const MAX_ORGANIZATIONS = 1_000;

const schema = z.object({
  role: z.enum(ROLES),
  organizations: z.union([z.literal('all'), z.array(z.string()).max(MAX_ORGANIZATIONS)]),
  actor: z
    .string()
    .regex(/^\P{C}{1,256}$/u)
    .optional(),
});

/** A checked permission. */
export class Scope {
  readonly role: Permission['role'];
  readonly actor: string;
  /** In the given order, without duplicates. */
  readonly organizations: 'all' | readonly string[];
  readonly #members: ReadonlySet<string>;

  constructor({ role, organizations, actor = 'dashboard' }: Permission) {
    this.role = role;
    this.actor = actor;
    this.#members = new Set(organizations === 'all' ? [] : organizations);
    this.organizations = organizations === 'all' ? 'all' : [...this.#members].sort();
  }

  /** Whether the user may read questions and answers. */
  get isReader(): boolean {
    return this.role === 'reader' || this.role === 'operator';
  }

  has(organizationId: string | null): boolean {
    return this.organizations === 'all' || (organizationId !== null && this.#members.has(organizationId));
  }

  /** @throws Problem 404. */
  require(organizationId: string): void {
    if (!this.has(organizationId)) throw notFound();
  }
}

/** Checks the result of `authorize`. @returns `null` for no permission. @throws ConfigurationError for an invalid result. */
export function readPermission(given: unknown): Scope | null {
  return given === null || given === undefined ? null : new Scope(parseOptions(schema, given, 'authorize'));
}
