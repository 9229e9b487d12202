import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
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
   * The host's secrets: 32 random bytes each, in base64. The first one seals, all open. Without any, keys can still be listed and deleted, such as after the
   * secret is lost.
   */
  readonly secrets: readonly string[];
  /** Gives the times of keys. @default the system clock */
  readonly clock?: Clock | undefined;
}

/** Vendor keys of organizations, encrypted at rest. Texts of errors never have a key or a part of one. */
export interface TenantKeyVault extends TenantKeys {
  /** @throws Error for a key that does not open: it was changed, moved to another organization or provider, or its secret is not given. */
  find(organizationId: string, providerId: string): Promise<TenantKey | undefined>;
  /** Sets or replaces a key. @throws LedgerError `invalid_argument`, also without a secret; `invalid_id`, `schema_window_open`. */
  set(organizationId: string, providerId: string, apiKey: string): Promise<TenantKeyView>;
  /** The keys of an organization, by provider. */
  list(organizationId: string): Promise<readonly TenantKeyView[]>;
  /** @returns whether there was a key. */
  delete(organizationId: string, providerId: string): Promise<boolean>;
  /** Deletes all keys of an organization, such as after the end of a contract. @returns how many. */
  erase(organizationId: string): Promise<number>;
  /**
   * Seals by the first secret what another secret has sealed, while other processes find, set and delete keys. May be interrupted, and run again.
   *
   * @throws LedgerError `invalid_argument` without a secret.
   */
  reseal(): Promise<ResealedKeys>;
}

/** A vendor key as people see it. */
export type TenantKeyView = Pick<SealedKey, 'providerId' | 'lastCharacters' | 'createdAtMs'>;

/** What became of keys that another secret had sealed. */
export interface ResealedKeys {
  /** How many the first secret seals now. */
  readonly resealed: number;
  /** Up to 1,000 keys that do not open, and stay as they are. */
  readonly unreadable: readonly Pick<SealedKey, 'organizationId' | 'providerId'>[];
}

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z\d+/]{42}[AEIMQUYcgkosw048]=$/;
/** Sealed, this many characters fit into a stored text. */
const MAX_KEY_CHARACTERS = 600;
const KEY_WITH_SHOWN_END = 12;
const WANTED_KEY = `a vendor's key: 1 to ${MAX_KEY_CHARACTERS} printable ASCII characters without spaces, line ends or quotes around it`;

const schema = z.strictObject({
  store: port<TenantKeyStore>(
    ['put', 'list', 'listSealedByOthers', 'delete'],
    'a store such as ledger.tenantKeys or memoryTenantKeyStore()',
  ),
  secrets: z.array(z.string('base64').regex(SECRET, '32 random bytes in base64'), 'an array of secrets'),
  clock: clockSchema.default(systemClock),
});

/**
 * Vendor keys of organizations in a database that never sees them: each is encrypted (AES-256-GCM) by a key of its own, which the host's secret encrypts. Both
 * are bound to organization and provider. Give it to `createGateway` as `byok.keys`, and to `createAdministration` to set keys.
 *
 * @throws ConfigurationError naming the wrong option, without its value.
 */
export function encryptedTenantKeys(options: EncryptedTenantKeysOptions): TenantKeyVault {
  const { store, secrets, clock } = parseOptions(schema, options, 'encryptedTenantKeys');
  const byId = new Map(secrets.map((text) => [idOf(text), Buffer.from(text, 'base64')]));

  function current() {
    const [first] = byId;
    if (first !== undefined) return first;
    throw new LedgerError('invalid_argument', 'there is no secret that could seal keys of organizations');
  }

  /** @throws UnreadableKey unless the row is of this organization and provider, whatever it says itself. */
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
      const row = (await store.list(organizationId)).find((each) => each.providerId === providerId);
      const ids = { organizationId, providerId };
      return row && { apiKey: opened(row, ids, (dataKey, box) => open(dataKey, box, ids).toString()) };
    },
    async set(organizationId, providerId, apiKey) {
      const [hostKeyId, secret] = current();
      if (!isApiKey(apiKey) || apiKey.length > MAX_KEY_CHARACTERS)
        throw new LedgerError('invalid_argument', `apiKey: found another value (not shown), expected ${WANTED_KEY}`);
      const ids = { organizationId, providerId };
      const dataKey = randomBytes(SECRET_BYTES);
      const sealed = textOf(seal(secret, dataKey, ids), seal(dataKey, Buffer.from(apiKey), ids));
      const lastCharacters = apiKey.length < KEY_WITH_SHOWN_END ? '' : apiKey.slice(-4);
      const view = { providerId, lastCharacters, createdAtMs: clock.now() };
      await store.put({ organizationId, sealed, hostKeyId, ...view });
      return view;
    },
    async list(organizationId) {
      const rows = await store.list(organizationId);
      return rows.map(({ providerId, lastCharacters, createdAtMs }) => ({ providerId, lastCharacters, createdAtMs }));
    },
    delete: async (...ids) => store.delete(...ids),
    async erase(organizationId) {
      const rows = await store.list(organizationId);
      const deleted = await Promise.all(rows.map(({ providerId }) => store.delete(organizationId, providerId)));
      return deleted.filter(Boolean).length;
    },
    async reseal() {
      const [hostKeyId, secret] = current();
      for (let resealed = 0; ; ) {
        const rows = await store.listSealedByOthers(hostKeyId);
        const unreadable: Ids[] = [];
        for (const row of rows)
          try {
            const sealed = opened(row, row, (dataKey, box) => textOf(seal(secret, dataKey, row), box));
            // What was set or deleted in between stands.
            if (await store.put({ ...row, hostKeyId, sealed }, row.sealed)) resealed += 1;
          } catch (error) {
            if (!(error instanceof UnreadableKey)) throw error;
            unreadable.push({ organizationId: row.organizationId, providerId: row.providerId });
          }
        if (unreadable.length === rows.length) return { resealed, unreadable };
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

/** Names a secret of 256 random bits without telling of it. */
function idOf(secret: string): string {
  return createHash('sha256').update(`searchgate tenant keys ${secret}`).digest('hex').slice(0, 16);
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
  const decipher = createDecipheriv(CIPHER, key, box.subarray(0, NONCE_BYTES), TAG).setAAD(ownerOf(ids));
  decipher.setAuthTag(box.subarray(-TAG.authTagLength));
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
