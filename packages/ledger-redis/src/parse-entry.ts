import type { CostSource, LedgerEntry } from '@searchgate/core/ledger';

const LATE = ' late';

/** Puts an entry together from the texts of a reply, in the order of ENTRY_FIELDS. */
export function parseEntry(fields: readonly string[]): LedgerEntry {
  const [
    kind,
    id = '',
    organizationId = '',
    keyId = '',
    amount = '0',
    atMs = '0',
    ,
    model = '',
    provider = '',
    detail = '',
  ] = fields;
  const base = { id, organizationId, amount: BigInt(amount), atMs: Number(atMs) };
  switch (kind) {
    case 'grant':
      return { kind, ...base, keyId: null, note: detail };
    case 'adjustment':
      return { kind, ...base, keyId: keyId === '' ? null : keyId, note: detail };
    case 'charge': {
      const late = detail.endsWith(LATE);
      const costSource = (late ? detail.slice(0, -LATE.length) : detail) as CostSource;
      return { kind, ...base, keyId, model, provider, costSource, late };
    }
    case 'loss':
      return { kind, ...base, keyId, model, provider, reason: detail };
    case 'expired':
      return { kind, ...base, keyId, model };
    default:
      throw new TypeError(`the log holds an entry of a kind this package does not know: ${kind}`);
  }
}
