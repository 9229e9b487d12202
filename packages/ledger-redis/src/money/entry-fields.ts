import { entryOf, type LedgerEntry } from '@searchgate/core/ledger';

const LATE = ' late';

/** Puts an entry together from the texts of a reply, in the order of ENTRY_FIELDS. */
export function entryOfFields(fields: readonly string[]): LedgerEntry {
  const [kind = '', id = '', organizationId = '', keyId = '', amount = '0', atMs = '0', , model = ''] = fields;
  const [provider = '', detail = ''] = fields.slice(8);
  const late = kind === 'charge' && detail.endsWith(LATE);
  return entryOf({
    kind,
    id,
    organizationId,
    keyId: keyId === '' ? null : keyId,
    amount: BigInt(amount),
    atMs: Number(atMs),
    comment: detail,
    model,
    provider,
    costSource: late ? detail.slice(0, -LATE.length) : detail,
    late,
  });
}

/** Cuts a reply into pieces of the same length. */
export function chunksOf<T>(items: readonly T[], length: number): T[][] {
  const count = Math.ceil(items.length / length);
  return Array.from({ length: count }, (_, index) => items.slice(index * length, (index + 1) * length));
}
