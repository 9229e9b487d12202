import { entryOf, type LedgerEntry } from '@searchgate/core/ledger';

/** Puts an entry together from the texts of a reply, in the order of ENTRY_FIELDS. */
export function entryOfFields(fields: readonly string[]): LedgerEntry {
  const [kind = '', id = '', organizationId = '', owners = '', amount = '0', atMs = '0', , served = ''] = fields;
  const [provider = '', detail = ''] = fields.slice(8);
  const [keyId = '', ...budgets] = owners.split(' ');
  return entryOf({
    kind,
    id,
    organizationId,
    keyId: keyId === '' ? null : keyId,
    amount: BigInt(amount),
    atMs: Number(atMs),
    comment: detail,
    budgets: budgets.length > 0 ? budgets : null,
    ...taggedModel(served),
    provider,
    ...chargedBy(kind === 'charge' ? detail : ''),
  });
}

/** A tag comes after the model, in a line of its own. */
function taggedModel(text: string) {
  const end = text.lastIndexOf('\n');
  return end < 0 ? { model: text, tag: null } : { model: text.slice(0, end), tag: text.slice(end + 1) || null };
}

/** @param detail of a charge: the source of its cost, `late` where it was, what of it is owed where that is known (else `-0` before another word), what the tenant was billed. */
function chargedBy(detail: string) {
  const [costSource = '', ...rest] = detail.split(' ');
  const late = rest[0] === 'late';
  const [owed = '-0', billed] = late ? rest.slice(1) : rest;
  const upstreamCost = owed === '-0' ? null : BigInt(owed);
  return { costSource, late, upstreamCost, tenantCost: billed === undefined ? null : BigInt(billed) };
}
