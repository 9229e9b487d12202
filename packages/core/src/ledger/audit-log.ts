import { timePart } from '../base/ids.js';
import { checkLedgerId } from '../base/options/check-argument.js';
import { type EngineOf, type Interceptor, wrapOperations } from '../base/options/open-state.js';
import { fitsFilter, type RequestFilter } from './request-log.js';

/** An object of JSON: amounts are decimal USD, times are ISO texts. */
export type AuditDetails = Readonly<Record<string, unknown>>;

/** A change that somebody made, or tried to make, by administration. */
export interface AuditRecord {
  /** In the order of time. */
  readonly id: string;
  /** The begin of the change, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** Who: a person, a management token, or a program of the host. */
  readonly actor: string;
  /** The operation of administration. */
  readonly action: AuditAction;
  /** The organization that was changed, or whose key or budget was. */
  readonly organizationId: string;
  /** The key that was changed; `null` for a change of an organization or a budget. */
  readonly keyId: string | null;
  /** `failed` if it was refused. `begun` if the storage or the process failed, or the end could not be recorded: then the change may have been made. */
  readonly outcome: 'begun' | 'made' | 'failed';
  /** What was asked for. */
  readonly given: AuditDetails;
  /** The organization or the budget with its totals, or the key. `null` for none. */
  readonly before: AuditDetails | null;
  /** The same after the change; `null` if it was not made, or its end was not recorded. */
  readonly after: AuditDetails | null;
}

/** By action, whether `erase` removes its records. Those of money, and of an erasing, tell who did it: they stay. */
const IS_ERASABLE = {
  grant: false,
  adjust: false,
  'organization.create': true,
  'organization.update': true,
  'organization.suspend': true,
  'organization.resume': true,
  'key.create': true,
  'key.update': true,
  'key.revoke': true,
  'budget.set': true,
  'budget.delete': true,
  'budget.erase': false,
  'tenant_key.set': true,
  'tenant_key.delete': true,
  'tenant_keys.erase': false,
  'requests.erase': false,
  'texts.erase': false,
  'replies.erase': false,
  'changes.erase': false,
} as const;

/** The names of all changes. */
export type AuditAction = keyof typeof IS_ERASABLE;

/** Which changes. A change has to fit every field that is given. */
export interface AuditFilter extends Pick<RequestFilter, 'sinceMs' | 'untilMs' | 'organizations' | 'keyId'> {
  /** By this person or program. */
  readonly actor?: string | undefined;
}

/** A page of changes. */
export interface AuditPage {
  /** The newest first. */
  readonly records: readonly AuditRecord[];
  /** `null` on the last page. A page may be short, or empty, although others follow. */
  readonly nextCursor: string | null;
}

/** Who changed what: kept for 400 days. Durable ledgers have one (`ledger.changes`); `memoryAuditLog()` keeps the newest in this process. */
export interface AuditLog {
  /** Keeps a record. A record of a known id replaces the earlier one. Forgets some of those that are older than 400 days. */
  append(record: AuditRecord): Promise<void>;
  /** @param page `limit`: 1 to 1,000. `cursor`: the `nextCursor` of the page before. */
  find(filter: AuditFilter, page: { readonly limit: number; readonly cursor?: string | undefined }): Promise<AuditPage>;
  /**
   * Removes the records of an organization, except those of money (`grant`, `adjust`, a change of `operatorPays`) and of erasing. @returns how many.
   *
   * @throws LedgerError `invalid_id`.
   */
  erase(organizationId: string): Promise<number>;
}

/** The storage of an {@link AuditLog}. Ids are compared by their bytes. */
interface AuditStorage {
  /**
   * Keeps a text, or replaces it, and forgets up to 100 of those with ids before `oldestId`, in one step. The organization is for `erase`: it is empty for a
   * record that no `erase` removes.
   */
  keep(
    row: { readonly id: string; readonly organizationId: string; readonly text: string },
    oldestId: string,
  ): Promise<void>;
  /** The texts with the highest ids before an id, highest first. */
  newest(beforeId: string, most: number): Promise<readonly string[]>;
  erase(organizationId: string): Promise<number>;
}

/** The operations of an {@link AuditLog}. */
export type AuditLogEngine = EngineOf<AuditStorage>;

const KEEP_MS = 400 * 86_400_000;
const AT_ONCE = 200;
/** Most records that are read for a page, so that a rare filter holds up nobody. */
const MAX_READ = 5_000;
/** After all ids. */
const END = '~';

/** @param timeMs milliseconds since the Unix epoch. @param unique the unique part of other ids; default: before all of that time. */
export function auditId(timeMs: number, unique = timePart(Math.max(0, timeMs))): string {
  return `change_${unique}`;
}

/** Makes an audit log over a storage. */
export function createAuditLog(engine: AuditLogEngine, interceptor: Interceptor): AuditLog {
  const { keep, newest, erase } = wrapOperations<AuditStorage>(engine, ['keep', 'newest', 'erase'], { interceptor });
  return {
    append(record) {
      const { id, atMs } = record;
      // Without credits to pay for, an organization spends the operator's money: that record stays.
      const isErasable = IS_ERASABLE[record.action] && record.given['operatorPays'] === undefined;
      const organizationId = isErasable ? record.organizationId : '';
      return keep({ id, organizationId, text: JSON.stringify(record) }, auditId(atMs - KEEP_MS));
    },
    async find(filter, { limit, cursor = END }) {
      const records: AuditRecord[] = [];
      let last = cursor;
      for (let read = 0; read < MAX_READ; read += AT_ONCE) {
        const texts = await newest(last, AT_ONCE);
        for (const text of texts) {
          const record = JSON.parse(text) as AuditRecord;
          if (fitsFilter(record, filter)) {
            if (records.length === limit) return { records, nextCursor: records.at(-1)?.id ?? last };
            records.push(record);
          }
          last = record.id;
        }
        if (texts.length < AT_ONCE) return { records, nextCursor: null };
      }
      return { records, nextCursor: last };
    },
    async erase(organizationId) {
      checkLedgerId('organizationId', organizationId);
      return erase(organizationId);
    },
  };
}

/** Keeps the newest changes of this process in memory. @param options `maxRecords`: default 10,000. */
export function memoryAuditLog({ maxRecords = 10_000 }: { readonly maxRecords?: number | undefined } = {}): AuditLog {
  const rows = new Map<string, { readonly organizationId: string; readonly text: string }>();
  const idsBefore = (end: string) => [...rows.keys()].filter((id) => id < end).sort();
  const remove = (ids: readonly string[]) => {
    for (const id of ids) rows.delete(id);
    return ids.length;
  };
  const engine: AuditLogEngine = {
    keep({ id, ...row }, oldestId) {
      rows.set(id, row);
      remove(idsBefore(oldestId));
      if (rows.size <= maxRecords) return;
      // Records that stay are the last to go, so that a flood of other changes cannot push them out.
      const ids = idsBefore(END);
      remove([ids.find((each) => each !== id && rows.get(each)?.organizationId !== '') ?? ids[0] ?? id]);
    },
    newest: (beforeId, most) =>
      idsBefore(beforeId)
        .reverse()
        .slice(0, most)
        .map((id) => rows.get(id)?.text ?? ''),
    erase: (organizationId) => remove([...rows.keys()].filter((id) => rows.get(id)?.organizationId === organizationId)),
  };
  return createAuditLog(engine, { during: (operation) => operation });
}
