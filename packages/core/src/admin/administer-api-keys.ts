import type { ApiKeyChange, ApiKeyRecord, ApiKeyRegistry } from '../auth/api-key-registry.js';
import { generateApiKey } from '../auth/api-key-secret.js';
import { definedFields } from '../base/defined-fields.js';
import { withStoredRule } from '../base/domain-rule.js';
import { isLedgerError } from '../base/errors/ledger-error.js';
import { hasMoreCharacters } from '../base/options/characters.js';
import { refusal } from '../base/options/check-argument.js';
import type { Ledger } from '../ledger/ledger.js';
import { suggestingBudget } from './administer-budgets.js';
import type { OrganizationDeps } from './administer-organizations.js';
import type { ApiKeyAdministration, ApiKeyUpdate, ApiKeyView, CreatedApiKey } from './administration.js';
import { AdministrationError, refuseWithoutRegistry } from './administration-error.js';
import { checkFields, checkSlugs, readTimeToCome, readUsd } from './read-arguments.js';

interface ApiKeyDeps extends OrganizationDeps {
  /** The slugs of all models; `null` if they are not known. */
  readonly knownModels: () => ReadonlySet<string> | null;
}

const CHANGEABLE = [
  'label',
  'limit',
  'limitReset',
  'allowedModels',
  'budgets',
  'rateLimit',
  'maxConcurrent',
  'domains',
  'expiresAt',
];
const UNLIMITED = {
  limit: null,
  limitReset: null,
  allowedModels: null,
  budgets: [],
  rateLimit: null,
  maxConcurrent: null,
  domains: null,
  expiresAtMs: null,
  revokedAtMs: null,
};
const MAX_LABEL_CHARACTERS = 200;
/** Public ids have 48 random bits: two taken ids in a row are no accident. */
const MOST_TRIES = 2;

export function administerApiKeys(deps: ApiKeyDeps): ApiKeyAdministration {
  const { ledger, apiKeys, clock, invalidateKey } = deps;

  async function insert(fields: Omit<ApiKeyRecord, 'id' | 'hash'>, tries = 1): Promise<CreatedApiKey> {
    const { id, secret, hash } = generateApiKey();
    const record = { id, hash, ...fields };
    try {
      await apiKeys.insertKey(record);
    } catch (error) {
      if (tries < MOST_TRIES && isLedgerError(error) && error.reason === 'duplicate_key')
        return insert(fields, tries + 1);
      throw await suggestingBudget(apiKeys, error, record);
    }
    invalidateKey(hash);
    return { secret, key: viewOf(record) };
  }

  async function change(id: string, fields: ApiKeyChange): Promise<ApiKeyView> {
    const key = await apiKeys.updateKey(id, fields).catch(async (error: unknown) => {
      throw await suggestingBudget(apiKeys, error, { ...(await apiKeys.findKey(id)), budgets: fields.budgets });
    });
    if (key === undefined) throw unknownKey();
    invalidateKey(key.hash);
    return viewOf(key);
  }

  return {
    async create(fields) {
      checkFields('apiKeys.create', fields, ['organizationId', ...CHANGEABLE]);
      const { organizationId, ...rest } = fields;
      const given = { ...UNLIMITED, ...readUpdate(rest, deps) };
      return insert({ organizationId, createdAtMs: clock.now(), ...given, label: readLabel(fields.label) });
    },
    async get(id) {
      const key = await apiKeys.findKey(id);
      return key && viewOf(key);
    },
    totals: async ({ id, limitReset }) => ledger.keyTotals(id, limitReset),
    async list(query) {
      const { items, nextCursor } = await apiKeys.listKeys(query);
      return { items: items.map(viewOf), nextCursor };
    },
    revoke: async (id) => change(id, { revokedAtMs: clock.now() }),
    async update(id, fields) {
      checkFields('apiKeys.update', fields, CHANGEABLE);
      return change(id, readUpdate(fields, deps));
    },
  };
}

/** For a host that authenticates callers itself: only the usage of its keys is known. */
export function apiKeysOfHost(ledger: Pick<Ledger, 'keyTotals'>): ApiKeyAdministration {
  return {
    ...refuseWithoutRegistry('apiKeys', ['create', 'get', 'list', 'revoke', 'update']),
    totals: async ({ id, limitReset }) => ledger.keyTotals(id, limitReset),
  };
}

/** @throws AdministrationError `unknown_key` unless the organization has the key. */
export async function requireKeyOf(apiKeys: ApiKeyRegistry, organizationId: string, id: string): Promise<void> {
  const key = await apiKeys.findKey(id);
  if (key?.organizationId !== organizationId) throw unknownKey(` in organization ${organizationId}`);
}

/** The given fields in the form of the registry, which checks their values further. */
function readUpdate(
  update: ApiKeyUpdate,
  { clock, knownModels }: Pick<ApiKeyDeps, 'clock' | 'knownModels'>,
): ApiKeyChange {
  const { label, limit, expiresAt, ...others } = update;
  const known = others.allowedModels == null ? null : knownModels();
  if (known !== null) checkSlugs('allowedModels', others.allowedModels, known);
  const change: { readonly [Name in keyof ApiKeyChange]: ApiKeyChange[Name] | undefined } = {
    ...withStoredRule(others),
    label: label === undefined ? undefined : readLabel(label),
    limit: limit == null ? limit : readUsd('limit', limit),
    expiresAtMs: expiresAt == null ? expiresAt : readTimeToCome('expiresAt', expiresAt, clock.now()),
  };
  return definedFields(change);
}

function readLabel(label: string): string {
  if (typeof label === 'string' && label !== '' && !hasMoreCharacters(label, MAX_LABEL_CHARACTERS)) return label;
  throw refusal('invalid_argument', 'label', { found: label, expected: `1 to ${MAX_LABEL_CHARACTERS} characters` });
}

function viewOf(key: ApiKeyRecord): ApiKeyView {
  const { hash: _, ...view } = key;
  return view;
}

/** The message does not repeat the id, which may be a whole token, given by mistake. */
function unknownKey(where = ''): AdministrationError {
  return new AdministrationError(
    'unknown_key',
    `there is no API key of this id${where}; ids made here are sg_ and 12 hex digits`,
  );
}
