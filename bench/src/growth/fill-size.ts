/** How large a ledger is made. Entries are spread evenly over the days, the keys and the models; a key belongs to one organization. */
export interface FillSize {
  readonly entries: number;
  /** The last one is today. */
  readonly days: number;
  readonly keys: number;
  readonly organizations: number;
  /** Of each key. */
  readonly models: number;
}

/** What a large ledger of a few years looks like, whatever the number of its entries. */
export const SHAPE = { days: 400, keys: 1_000, organizations: 50, models: 3 } as const satisfies Omit<
  FillSize,
  'entries'
>;

export const DAY_MS = 86_400_000;

export function fillOrganization(key: number): string {
  return `organization-${key % SHAPE.organizations}`;
}

export function fillKey(key: number): string {
  return `key-${key}`;
}
