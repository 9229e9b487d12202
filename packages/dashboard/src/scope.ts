import { z } from 'zod';
import { notFound } from './api/problem.js';

/** What someone may see and do. */
export interface Permission {
  /** Viewers see; operators change things as well, and ask questions in the playground. */
  readonly role: 'viewer' | 'operator';
  /** Whose keys, usage and requests; at most 1,000. The health of providers is shared by all. */
  readonly organizations: 'all' | readonly string[];
  /** Who it is, for the share of live tails. Default: all of the same role and organizations are one. */
  readonly viewer?: string | undefined;
}

const MAX_ORGANIZATIONS = 1_000;

const schema = z.object({
  role: z.enum(['viewer', 'operator']),
  organizations: z.union([z.literal('all'), z.array(z.string()).max(MAX_ORGANIZATIONS)]),
  viewer: z.string().min(1).max(256).optional(),
});

/** A permission that has been checked. */
export class Scope {
  readonly role: Permission['role'];
  /** In their order, each once. */
  readonly organizations: 'all' | readonly string[];
  /** Tells those who may be here apart. */
  readonly viewer: string;
  readonly #members: ReadonlySet<string>;

  constructor({ role, organizations, viewer }: Permission) {
    this.role = role;
    this.#members = new Set(organizations === 'all' ? [] : organizations);
    this.organizations = organizations === 'all' ? 'all' : [...this.#members].sort();
    this.viewer = JSON.stringify([role, viewer ?? this.organizations]);
  }

  has(organizationId: string | null): boolean {
    return this.organizations === 'all' || (organizationId !== null && this.#members.has(organizationId));
  }

  /** @throws Problem 404. */
  require(organizationId: string): void {
    if (!this.has(organizationId)) throw notFound();
  }
}

/** Checks what `authorize` has returned. @returns `null` for no permission. @throws ZodError for anything else. */
export function readPermission(given: unknown): Scope | null {
  return given === null || given === undefined ? null : new Scope(schema.parse(given));
}
