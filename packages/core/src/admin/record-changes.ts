import type { IdSource } from '../base/ids.js';
import { formatUsd } from '../base/money.js';
import { firstCharacters, hasMoreCharacters } from '../base/options/characters.js';
import { isLedgerId } from '../base/options/check-argument.js';
import type { Clock } from '../base/time/clock.js';
import { isoTime } from '../base/time/iso-time.js';
import { type AuditAction, type AuditDetails, type AuditLog, type AuditRecord, auditId } from '../ledger/audit-log.js';
import type { Administration, TenantKeyAdministration } from './administration.js';
import { isAdministrationError } from './administration-error.js';
import type { BudgetAdministration, NewBudget } from './budget-administration.js';

export interface RecorderDeps {
  readonly auditLog: AuditLog;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly actor: string;
}

interface Change<T> {
  readonly action: AuditAction;
  readonly organizationId: string;
  readonly keyId?: string | undefined;
  readonly given: object;
  /** Reads what is changed. Absent where nothing is shown of it. */
  look?(): Promise<object | undefined>;
  make(): Promise<T>;
  /** The key that the change made. */
  keyOf?(made: T): { readonly id: string };
}

/** The id of what is changed, and what was asked for. */
type Given = readonly [id: string, given?: object];

/**
 * Records every change of administration: before it begins, so that a change whose record fails does not happen, and how it ended. The record of the end is
 * not waited for in vain: without it the record says `begun`.
 */
export function recordChanges(base: Administration, deps: RecorderDeps): Administration {
  const { organizations, apiKeys, budgets, tenantKeys, requests, replies, changes } = base;
  const change = recorder(deps);

  const ofOrganization = <T>(action: AuditAction, [organizationId, given = {}]: Given, make: () => Promise<T>) =>
    change({ action, organizationId, given, look: () => organizations.get(organizationId), make });

  const erasing = (action: AuditAction, log: { erase(organizationId: string): Promise<number> }) => (id: string) =>
    ofOrganization(action, [id], () => log.erase(id));

  /** An unknown key changes nothing, and belongs to nobody. */
  async function ofKey<T>(action: AuditAction, [keyId, given = {}]: Given, make: () => Promise<T>): Promise<T> {
    const look = () => apiKeys.get(keyId);
    const key = await look();
    if (key === undefined) return make();
    return change({ action, organizationId: key.organizationId, keyId, given, look, make });
  }

  return {
    ...base,
    grant: (grant) => ofOrganization('grant', [grant.organizationId, grant], () => base.grant(grant)),
    adjust: (fields) => ofOrganization('adjust', [fields.organizationId, fields], () => base.adjust(fields)),
    organizations: {
      ...organizations,
      create: (fields) =>
        ofOrganization('organization.create', [fields.id, fields], () => organizations.create(fields)),
      update: (id, fields) =>
        ofOrganization('organization.update', [id, fields], () => organizations.update(id, fields)),
      suspend: (id) => ofOrganization('organization.suspend', [id], () => organizations.suspend(id)),
      resume: (id) => ofOrganization('organization.resume', [id], () => organizations.resume(id)),
    },
    apiKeys: {
      ...apiKeys,
      create: (fields) =>
        change({
          action: 'key.create',
          organizationId: fields.organizationId,
          given: fields,
          make: () => apiKeys.create(fields),
          keyOf: ({ key }) => key,
        }),
      update: (id, fields) => ofKey('key.update', [id, fields], () => apiKeys.update(id, fields)),
      revoke: (id) => ofKey('key.revoke', [id], () => apiKeys.revoke(id)),
    },
    budgets: recordBudgetChanges(budgets, change),
    tenantKeys: tenantKeys && {
      ...recordTenantKeyChanges(tenantKeys, change),
      erase: erasing('tenant_keys.erase', tenantKeys),
    },
    requests: requests && {
      ...requests,
      erase: erasing('requests.erase', requests),
      // This record stays, so it does not name the tag.
      eraseTexts: ({ organizationId, keyId, tag }) =>
        change({
          action: 'texts.erase',
          organizationId,
          keyId,
          given: {},
          make: () => requests.eraseTexts({ organizationId, keyId, tag }),
        }),
    },
    replies: replies && { erase: erasing('replies.erase', replies) },
    changes: changes && { ...changes, erase: erasing('changes.erase', changes) },
  };
}

function recordBudgetChanges(budgets: BudgetAdministration, change: Recorder): BudgetAdministration {
  const recorded = <T>(
    action: AuditAction,
    [organizationId, given]: [string, Pick<NewBudget, 'id'>],
    make: () => Promise<T>,
  ) => change({ action, organizationId, given, look: () => budgets.get(organizationId, given.id), make });
  return {
    ...budgets,
    set: (id, fields) => recorded('budget.set', [id, fields], () => budgets.set(id, fields)),
    delete: (organizationId, id) =>
      recorded('budget.delete', [organizationId, { id }], () => budgets.delete(organizationId, id)),
    erase: (organizationId, id) =>
      change({
        action: 'budget.erase',
        organizationId,
        // This record stays, so it does not name the budget.
        given: {},
        make: () => budgets.erase(organizationId, id),
      }),
  };
}

function recordTenantKeyChanges(tenantKeys: TenantKeyAdministration, change: Recorder): TenantKeyAdministration {
  async function recorded<T>(action: AuditAction, [id, providerId]: [string, string], make: () => Promise<T>) {
    const look = async () => (await tenantKeys.list(id)).find((each) => each.providerId === providerId);
    // What is no provider may be a key, given in its place: it is refused, or finds nothing, and is not recorded.
    if (!tenantKeys.providers.includes(providerId) && (await look()) === undefined) return make();
    return change({ action, organizationId: id, given: { providerId }, look, make });
  }
  return {
    ...tenantKeys,
    set: (id, provider, apiKey) =>
      recorded('tenant_key.set', [id, provider], () => tenantKeys.set(id, provider, apiKey)),
    delete: (id, provider) => recorded('tenant_key.delete', [id, provider], () => tenantKeys.delete(id, provider)),
  };
}

type Recorder = ReturnType<typeof recorder>;

function recorder({ auditLog, clock, newId, actor }: RecorderDeps) {
  return async <T>({ action, organizationId, keyId, given, look, make, keyOf }: Change<T>): Promise<T> => {
    const before = detailsOf(await look?.());
    const atMs = clock.now();
    const begun: AuditRecord = {
      id: auditId(atMs, newId(atMs)),
      atMs,
      actor,
      action,
      organizationId,
      keyId: keyId ?? null,
      outcome: 'begun',
      given: detailsOf(given) ?? {},
      before,
      after: null,
    };
    // What is no id changes nothing, and not every log can keep it.
    if (typeof organizationId !== 'string' || !isLedgerId(organizationId)) return make();
    await auditLog.append(begun);
    /** Never throws: the change has ended, whatever becomes of its record. */
    const end = async (read: () => Promise<Partial<AuditRecord>>) => {
      try {
        await auditLog.append({ ...begun, ...(await read()) });
      } catch {
        // The record says `begun`.
      }
    };
    let made: T;
    try {
      made = await make();
    } catch (error) {
      // Where the storage fails, nobody knows whether it has made the change: the record goes on to say `begun`.
      if (isAdministrationError(error)) await end(() => Promise.resolve({ outcome: 'failed' }));
      throw error;
    }
    await end(async () => {
      const key = keyOf?.(made);
      return { outcome: 'made', keyId: key?.id ?? begun.keyId, after: detailsOf(key ?? (await look?.())) };
    });
    return made;
  };
}

/** What is kept of a change: also of one that was refused, whatever was sent. */
const MOST_FIELDS = 30;
const MOST_CHARACTERS = 1_000;

/** As JSON: amounts are decimal USD, and `createdAtMs` is the ISO text `createdAt`. A longer field is the beginning of its JSON. */
function detailsOf(value: object | undefined): AuditDetails | null {
  if (value === undefined) return null;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    fields.slice(0, MOST_FIELDS).map(([name, field]: [string, unknown]) => {
      if (typeof field === 'bigint') return [name, formatUsd(field)];
      if (name.endsWith('AtMs'))
        return [name.slice(0, -'Ms'.length), typeof field === 'number' ? isoTime(field) : null];
      const text = JSON.stringify(field);
      const isLong = hasMoreCharacters(text, MOST_CHARACTERS);
      return [firstCharacters(name, MOST_CHARACTERS), isLong ? `${firstCharacters(text, MOST_CHARACTERS)}…` : field];
    }),
  );
}
