import { LedgerError } from '../base/errors/ledger-error.js';
import { checkLedgerId, checkPageSize } from '../base/options/check-argument.js';
import type { RegistryPage, RegistryQuery } from './api-key-registry.js';

/** A place in a list in order of creation: behind the item of this time and id. Ids compare by their bytes. */
export interface RegistryPosition {
  readonly createdAtMs: number;
  readonly id: string;
}

/** A registry's query, checked. */
export interface RegistryRange {
  readonly organizationId: string | undefined;
  /** The page begins behind this place; `null` for the first page. */
  readonly after: RegistryPosition | null;
  readonly pageSize: number;
}

const CURSOR = /^(\d{1,16})\.([\x21-\x7e]{1,128})$/;

/** Checks a query of a registry and takes its cursor apart. @throws LedgerError `invalid_id`, `invalid_argument` or `invalid_cursor`. */
export function readRegistryQuery(
  query: RegistryQuery & { readonly organizationId?: string | undefined } = {},
): RegistryRange {
  const { organizationId, cursor, limit } = query;
  if (organizationId !== undefined) checkLedgerId('organizationId', organizationId);
  const pageSize = checkPageSize('limit', limit);
  return { organizationId, after: cursor === undefined ? null : positionOf(cursor), pageSize };
}

/**
 * The page of a registry's rows. A cursor says behind which item the next page begins, so that it stays valid whatever is added.
 *
 * @param rows the rows of the range in order, of which one more than the page holds tells that there is a next page.
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
