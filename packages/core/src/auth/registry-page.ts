import { LedgerError } from '../base/errors/ledger-error.js';
import { checkLedgerId, checkPageSize } from '../base/options/check-argument.js';
import type { RegistryPage, RegistryQuery } from './api-key-registry.js';

/** A position in a list in order of creation: after the item of this time and id. Ids compare by their bytes. */
export interface RegistryPosition {
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** Decides among items of the same time. */
  readonly id: string;
}

/** A checked query of a registry. */
export interface RegistryRange {
  /** Only keys of this organization; `undefined` for all. */
  readonly organizationId: string | undefined;
  /** The page begins after this position; `null` for the first page. */
  readonly after: RegistryPosition | null;
  /** 1 to 1,000. */
  readonly pageSize: number;
}

const CURSOR = /^(\d{1,16})\.([\x21-\x7e]{1,128})$/;

/** Checks a query of a registry and reads its cursor. @throws LedgerError `invalid_id`, `invalid_argument` or `invalid_cursor`. */
export function readRegistryQuery(
  query: RegistryQuery & { readonly organizationId?: string | undefined } = {},
): RegistryRange {
  const { organizationId, cursor, limit } = query;
  if (organizationId !== undefined) checkLedgerId('organizationId', organizationId);
  const pageSize = checkPageSize('limit', limit);
  return { organizationId, after: cursor === undefined ? null : positionOf(cursor), pageSize };
}

/**
 * The page of a registry's rows. A cursor names the item after which the next page begins, so it stays valid when items are added.
 *
 * @param rows the rows of the range in order; one more row than the page size means that there is a next page.
 */
export function registryPage<T extends RegistryPosition>(rows: readonly T[], pageSize: number): RegistryPage<T> {
  const items = rows.slice(0, pageSize);
  const last = items.at(-1);
  const ends = rows.length <= pageSize || last === undefined;
  return { items, nextCursor: ends ? null : `${last.createdAtMs}.${last.id}` };
}

function positionOf(cursor: string): RegistryPosition {
  const [, time = '', id = ''] = (typeof cursor === 'string' && CURSOR.exec(cursor)) || [];
  const createdAtMs = Number(time);
  if (id !== '' && Number.isSafeInteger(createdAtMs)) return { createdAtMs, id };
  throw new LedgerError('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this registry');
}
