import assert from 'node:assert/strict';
import {
  type ApiKeyChange,
  type ApiKeyRecord,
  type ApiKeyRegistry,
  type LedgerReason,
  type LimitReset,
} from '@searchgate/core/ledger';
import { assertRefused } from '../assert-refused.js';
import { BAD_AMOUNTS, BAD_IDS, BAD_TIMES, TOO_LONG, UNFIT_TEXTS } from '../bad-values.js';

import { assertNoChange, keyOf, organizationOf } from './records.js';
import type { RegistrySuite } from './registry-suite.js';

const BAD_TEXTS = [TOO_LONG, ...UNFIT_TEXTS, 42 as unknown as string];
const BAD_HASHES = ['', 'a-secret-of-twenty-characters', 'A'.repeat(64), 'a'.repeat(63), `${'a'.repeat(64)}\n`];
const BAD_SLUGS = ['exa/answer', [42], [TOO_LONG], ['nul\0']] as unknown as string[][];

type Operation = (registry: ApiKeyRegistry) => Promise<unknown>;

const ID_ARGUMENTS: Record<string, (id: string) => Operation> = {
  'the id of a new key': (id) => insertion({ id, hash: keyOf({ id: 'new' }).hash }),
  'the organizationId of a new key': (organizationId) => insertion({ id: 'new', organizationId }),
  'the id of a key to find': (id) => (registry) => registry.findKey(id),
  'the id of a key to change': (id) => (registry) => registry.updateKey(id, { label: 'renamed' }),
  'the organizationId of a list': (organizationId) => (registry) => registry.listKeys({ organizationId }),
  'the id of a new organization': (id) => (registry) => registry.insertOrganization(organizationOf({ id })),
  'the id of an organization to find': (id) => (registry) => registry.findOrganization(id),
  'the id of an organization to change': (id) => (registry) => registry.updateOrganization(id, { name: 'renamed' }),
};

/** Invalid values of a field, for a new key and for a change. */
const BAD_FIELDS: Record<string, readonly ApiKeyChange[]> = {
  label: BAD_TEXTS.map((label) => ({ label })),
  limitReset: ['hourly', ''].map((limitReset) => ({ limitReset: limitReset as LimitReset })),
  allowedModels: BAD_SLUGS.map((allowedModels) => ({ allowedModels })),
  expiresAtMs: BAD_TIMES.map((expiresAtMs) => ({ expiresAtMs })),
  revokedAtMs: BAD_TIMES.map((revokedAtMs) => ({ revokedAtMs })),
  'limitReset without a limit': [{ limitReset: 'daily' }, { limit: null, limitReset: 'monthly' }],
};

const OTHER_ARGUMENTS: Record<string, readonly Operation[]> = {
  'invalid hashes': BAD_HASHES.map((hash) => insertion({ id: 'new', hash })),
  'invalid times of creation': BAD_TIMES.flatMap((createdAtMs): Operation[] => [
    insertion({ id: 'new', createdAtMs }),
    (registry) => registry.insertOrganization(organizationOf({ id: 'new', createdAtMs })),
  ]),
  'invalid names of organizations': BAD_TEXTS.flatMap((name): Operation[] => [
    (registry) => registry.insertOrganization(organizationOf({ id: 'new', name })),
    (registry) => registry.updateOrganization('acme', { name }),
  ]),
  'invalid times of suspension': BAD_TIMES.flatMap((suspendedAtMs): Operation[] => [
    (registry) => registry.insertOrganization(organizationOf({ id: 'new', suspendedAtMs })),
    (registry) => registry.updateOrganization('acme', { suspendedAtMs }),
  ]),
};

/** Bad arguments: each is refused with its code and changes nothing, not even partly. */
export function registerArguments({ describe, test }: RegistrySuite): void {
  describe('bad arguments', () => {
    for (const [name, operationOf] of Object.entries(ID_ARGUMENTS)) {
      test(`refuses malformed ids as ${name}`, ({ registry }) =>
        assertAllRefused(registry, 'invalid_id', BAD_IDS.map(operationOf)));
    }
    test('refuses negative, huge and non-bigint limits', ({ registry }) =>
      assertAllRefused(
        registry,
        'invalid_amount',
        BAD_AMOUNTS.flatMap((limit) => withField({ limit })),
      ));
    for (const [field, values] of Object.entries(BAD_FIELDS)) {
      test(`refuses wrong values of ${field}`, ({ registry }) =>
        assertAllRefused(registry, 'invalid_argument', values.flatMap(withField)));
    }
    test('refuses to remove a limit but keep its reset', async ({ registry }) => {
      const key = keyOf({ id: 'resets', limit: 5n, limitReset: 'daily' });
      await registry.insertKey(key);
      await assertNoChange(registry, () =>
        assertRefused('invalid_argument', () => registry.updateKey(key.id, { limit: null, label: 'partly' })),
      );
      const neither = { limit: null, limitReset: null };
      assert.deepEqual(await registry.updateKey(key.id, neither), { ...key, ...neither });
    });
    for (const [name, operations] of Object.entries(OTHER_ARGUMENTS)) {
      test(`refuses ${name}`, ({ registry }) => assertAllRefused(registry, 'invalid_argument', operations));
    }
  });
}

function insertion(changes: Partial<ApiKeyRecord>): Operation {
  return (registry) => registry.insertKey(keyOf(changes));
}

function withField(field: ApiKeyChange): Operation[] {
  return [insertion({ id: 'new', ...field }), (registry) => registry.updateKey('key-1', { label: 'partly', ...field })];
}

async function assertAllRefused(
  registry: ApiKeyRegistry,
  reason: LedgerReason,
  operations: readonly Operation[],
): Promise<void> {
  await registry.insertKey(keyOf());
  await assertNoChange(registry, async () => {
    for (const operation of operations) await assertRefused(reason, () => operation(registry));
  });
}
