import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import { LedgerError } from '../base/errors/ledger-error.js';
import { isApiKey } from '../base/options/is-api-key.js';
import { clockSchema, port } from '../base/options/option-schemas.js';
import { parseOptions } from '../base/options/parse-options.js';
import { type Clock, systemClock } from '../base/time/clock.js';
import type { SealedKey, TenantKeyStore } from './tenant-key-store.js';
import type { TenantKey, TenantKeys } from './tenant-keys.js';

/** Where vendor keys of organizations are kept, and what encrypts them. */
export interface EncryptedTenantKeysOptions {
  /** Such as `tenantKeys` of a durable ledger. */
  readonly store: TenantKeyStore;
  /**
   * The host's secrets: 32 random bytes each, as bytes or in base64. The first one seals, all open. Without any, keys can be listed and deleted, such as after
   * the secret is lost; `find` of a stored key, `set` and `reseal` reject.
   */
  readonly secrets: readonly (Uint8Array | string)[];
  /** Gives the times of keys. @default the system clock */
  readonly clock?: Clock | undefined;
}

/** Vendor keys of organizations, encrypted at rest. Texts of errors never have a key or a part of one. */
export interface TenantKeyVault extends TenantKeys {
  /** @throws Error for a key that does not open: it was changed, moved to another organization or provider, or its secret is not given. */
  find(organizationId: string, providerId: string): Promise<TenantKey | undefined>;
  /** Sets or replaces a key. @throws LedgerError `invalid_argument`, `invalid_id`, `schema_window_open`. */
  set(organizationId: string, providerId: string, apiKey: string): Promise<TenantKeyView>;
  /** The keys of an organization, by provider. */
  list(organizationId: string): Promise<readonly TenantKeyView[]>;
  /** @returns whether there was a key. */
  delete(organizationId: string, providerId: string): Promise<boolean>;
  /** Deletes all keys of an organization. @returns how many. */
  erase(organizationId: string): Promise<number>;
  /** Seals by the first secret what another secret has sealed, while other processes find, set and delete keys. May be interrupted, and run again. */
  reseal(): Promise<ResealedKeys>;
}

/** A vendor key as people see it. */
export interface TenantKeyView {
  /** The id of the vendor's provider. */
  readonly providerId: string;
  /** The last four characters; empty for a key of fewer than 12. */
  readonly lastCharacters: string;
  /** When it was set, in milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
}

/** What became of keys that another secret had sealed. */
export interface ResealedKeys {
  /** How many the first secret seals now. */
  readonly resealed: number;
  /** Up to 1,000 keys that do not open, and stay as they are. */
  readonly unreadable: readonly Pick<SealedKey, 'organizationId' | 'providerId'>[];
}

const SECRET_BYTES = 32;
const WANTED_SECRET = `${SECRET_BYTES} random bytes, or their base64`;
/** Sealed, this many characters fit into a stored text. */
const MAX_KEY_CHARACTERS = 600;
const KEY_WITH_SHOWN_END = 12;

const schema = z.strictObject({
  store: port<TenantKeyStore>(
    ['put', 'reseal', 'find', 'list', 'listSealedByOthers', 'delete', 'erase'],
    'a store such as ledger.tenantKeys or memoryTenantKeyStore()',
  ),
  secrets: z.array(
    z.custom<Uint8Array | string>((value) => readSecret(value) !== undefined, WANTED_SECRET).transform(readSecret),
    'an array of secrets',
  ),
  clock: clockSchema.default(systemClock),
});

function readSecret(value: unknown): Buffer | undefined {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : value;
  if (!(bytes instanceof Uint8Array) || bytes.length !== SECRET_BYTES) return undefined;
  const secret = Buffer.from(bytes);
  // Decoding skips what is no base64.
  return typeof value === 'string' && secret.toString('base64') !== value ? undefined : secret;
}

/**
 * Vendor keys of organizations in a database that never sees them: each is encrypted (AES-256-GCM) by a key of its own, which the host's secret encrypts. Both
 * are bound to organization and provider. Give it to `createGateway` as `byok.keys`, and to `createAdministration` to set keys.
 *
 * @throws ConfigurationError naming the wrong option, without its value.
 */
export function encryptedTenantKeys(options: EncryptedTenantKeysOptions): TenantKeyVault {
  const { store, secrets, clock } = parseOptions(schema, options, 'encryptedTenantKeys');
  const byId = new Map(secrets.flatMap((secret) => (secret === undefined ? [] : [[idOf(secret), secret] as const])));

  function current(): readonly [id: string, secret: Buffer] {
    const [first] = byId;
    if (first !== undefined) return first;
    const path = 'encryptedTenantKeys.secrets';
    throw new ConfigurationError([{ path, found: 'an array of 0', expected: `at least one secret: ${WANTED_SECRET}` }]);
  }

  /** @throws Error unless the row is of this organization and provider, whatever it says itself. */
  function opened<T>({ sealed, hostKeyId }: SealedKey, ids: Ids, use: (dataKey: Buffer, box: Buffer) => T): T {
    const secret = byId.get(hostKeyId);
    if (secret === undefined) throw new UnreadableKey(ids, 'is sealed by a secret that is not given');
    try {
      const [wrapped, box] = partsOf(sealed);
      return use(open(secret, wrapped, ids), box);
    } catch {
      throw new UnreadableKey(ids, 'does not open: it was changed, or belongs to another organization or provider');
    }
  }

  return {
    async find(organizationId, providerId) {
      const row = await store.find(organizationId, providerId);
      const ids = { organizationId, providerId };
      return row && { apiKey: opened(row, ids, (dataKey, box) => open(dataKey, box, ids).toString()) };
    },
    async set(organizationId, providerId, apiKey) {
      const ids = { organizationId, providerId };
      const [hostKeyId, secret] = current();
      checkKey(apiKey);
      const dataKey = randomBytes(SECRET_BYTES);
      const sealed = textOf(seal(secret, dataKey, ids), seal(dataKey, Buffer.from(apiKey), ids));
      const lastCharacters = apiKey.length < KEY_WITH_SHOWN_END ? '' : apiKey.slice(-4);
      const row = { ...ids, sealed, hostKeyId, lastCharacters, createdAtMs: clock.now() };
      await store.put(row);
      return viewOf(row);
    },
    list: async (organizationId) => (await store.list(organizationId)).map(viewOf),
    delete: async (organizationId, providerId) => store.delete(organizationId, providerId),
    erase: async (organizationId) => store.erase(organizationId),
    async reseal() {
      const [hostKeyId, secret] = current();
      let count = 0;
      for (;;) {
        const rows = await store.listSealedByOthers(hostKeyId);
        const failed: Ids[] = [];
        for (const row of rows) {
          const { organizationId, providerId } = row;
          try {
            const sealed = opened(row, row, (dataKey, box) => textOf(seal(secret, dataKey, row), box));
            // What was set or deleted in between stands.
            if (await store.reseal({ ...row, hostKeyId, sealed }, row.sealed)) count += 1;
          } catch (error) {
            if (!(error instanceof UnreadableKey)) throw error;
            failed.push({ organizationId, providerId });
          }
        }
        if (failed.length === rows.length) return { resealed: count, unreadable: failed };
      }
    },
  };
}

type Ids = ResealedKeys['unreadable'][number];

class UnreadableKey extends Error {
  constructor({ organizationId, providerId }: Ids, why: string) {
    super(`the key of the organization ${organizationId} at ${providerId} ${why}`);
  }
}

/** The message does not show it. @throws LedgerError `invalid_argument`. */
function checkKey(apiKey: unknown): void {
  if (isApiKey(apiKey) && apiKey.length <= MAX_KEY_CHARACTERS) return;
  const expected = `a vendor's key: 1 to ${MAX_KEY_CHARACTERS} printable ASCII characters without spaces, line ends or quotes around it`;
  throw new LedgerError('invalid_argument', `apiKey: found another value (not shown), expected ${expected}`);
}

function viewOf({ providerId, lastCharacters, createdAtMs }: SealedKey): TenantKeyView {
  return { providerId, lastCharacters, createdAtMs };
}

/** Names a secret of 256 random bits without telling of it. */
function idOf(secret: Buffer): string {
  return createHash('sha256').update('searchgate tenant keys').update(secret).digest('hex').slice(0, 16);
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG = { authTagLength: 16 };
const WRAPPED_BYTES = NONCE_BYTES + SECRET_BYTES + TAG.authTagLength;
/** Of the form, so that a later one can be told apart. */
const VERSION = 'v1.';

function seal(key: Buffer, text: Buffer, ids: Ids): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, TAG).setAAD(ownerOf(ids));
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error unless `seal` made the box by this key for these ids. */
function open(key: Buffer, box: Buffer, ids: Ids): Buffer {
  const [nonce, tag] = [box.subarray(0, NONCE_BYTES), box.subarray(-TAG.authTagLength)];
  const decipher = createDecipheriv(CIPHER, key, nonce, TAG).setAAD(ownerOf(ids)).setAuthTag(tag);
  return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, -TAG.authTagLength)), decipher.final()]);
}

/** Ids have no spaces. */
function ownerOf({ organizationId, providerId }: Ids): Buffer {
  return Buffer.from(`${VERSION} ${organizationId} ${providerId}`);
}

function textOf(wrapped: Buffer, box: Buffer): string {
  return VERSION + Buffer.concat([wrapped, box]).toString('base64url');
}

function partsOf(sealed: string): readonly [wrapped: Buffer, box: Buffer] {
  const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
  const parts = [bytes.subarray(0, WRAPPED_BYTES), bytes.subarray(WRAPPED_BYTES)] as const;
  // Several texts decode to the same bytes: one of them was made here.
  if (textOf(...parts) !== sealed) throw new Error('malformed');
  return parts;
}
