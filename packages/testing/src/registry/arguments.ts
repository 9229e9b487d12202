import {
  type ApiKeyChange,
  type ApiKeyRecord,
  type ApiKeyRegistry,
  type LedgerReason,
  type LimitReset,
  MAX_NANO_USD,
} from '@searchgate/core/ledger';
import { assertNoChange, assertRefused, keyOf, organizationOf } from './records.js';
import type { RegistrySuite } from './registry-suite.js';

const BAD_IDS = ['', ' ', 'two words', 'tab\t', 'line\n', 'é', '💶', 'x'.repeat(129), 'nul\0', 42 as unknown as string];
const BAD_AMOUNTS = [-1n, MAX_NANO_USD + 1n, 5 as unknown as bigint, '5' as unknown as bigint];
const BAD_TIMES = [Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, '5' as unknown as number];
const BAD_TEXTS = ['x'.repeat(1_001), 'nul\0', '\ud83d', 42 as unknown as string];
const BAD_HASHES = ['', 'a-secret-of-twenty-characters', 'A'.repeat(64), 'a'.repeat(63), `${'a'.repeat(64)}\n`];
const BAD_SLUGS = ['exa/answer', [42], ['x'.repeat(1_001)], ['nul\0']] as unknown as string[][];

type Verb = (registry: ApiKeyRegistry) => Promise<unknown>;

const ID_ARGUMENTS: Record<string, (id: string) => Verb> = {
  'the id of a new key': (id) => insertion({ id, hash: keyOf({ id: 'new' }).hash }),
  'the organizationId of a new key': (organizationId) => insertion({ id: 'new', organizationId }),
  'the id of a key to find': (id) => (registry) => registry.findKey(id),
  'the id of a key to change': (id) => (registry) => registry.updateKey(id, { label: 'renamed' }),
  'the organizationId of a list': (organizationId) => (registry) => registry.listKeys({ organizationId }),
  'the id of a new organization': (id) => (registry) => registry.insertOrganization(organizationOf({ id })),
  'the id of an organization to find': (id) => (registry) => registry.findOrganization(id),
  'the id of an organization to change': (id) => (registry) => registry.updateOrganization(id, { name: 'renamed' }),
};

/** Wrong values of a field, which may be given with a new key and with a change. */
const BAD_FIELDS: Record<string, readonly ApiKeyChange[]> = {
  label: BAD_TEXTS.map((label) => ({ label })),
  limitReset: ['hourly', ''].map((limitReset) => ({ limitReset: limitReset as LimitReset })),
  allowedModels: BAD_SLUGS.map((allowedModels) => ({ allowedModels })),
  expiresAtMs: BAD_TIMES.map((expiresAtMs) => ({ expiresAtMs })),
  revokedAtMs: BAD_TIMES.map((revokedAtMs) => ({ revokedAtMs })),
};

const OTHER_ARGUMENTS: Record<string, readonly Verb[]> = {
  'hashes that are none': BAD_HASHES.map((hash) => insertion({ id: 'new', hash })),
  'times of creation that are none': BAD_TIMES.flatMap((createdAtMs): Verb[] => [
    insertion({ id: 'new', createdAtMs }),
    (registry) => registry.insertOrganization(organizationOf({ id: 'new', createdAtMs })),
  ]),
  'names of organizations that are none': BAD_TEXTS.flatMap((name): Verb[] => [
    (registry) => registry.insertOrganization(organizationOf({ id: 'new', name })),
    (registry) => registry.updateOrganization('acme', { name }),
  ]),
  'times of suspension that are none': BAD_TIMES.flatMap((suspendedAtMs): Verb[] => [
    (registry) => registry.insertOrganization(organizationOf({ id: 'new', suspendedAtMs })),
    (registry) => registry.updateOrganization('acme', { suspendedAtMs }),
  ]),
};

/** Bad arguments: each is refused with its own code and changes nothing, not even partly. */
export function registerArguments({ describe, test }: RegistrySuite): void {
  describe('bad arguments', () => {
    for (const [name, verbOf] of Object.entries(ID_ARGUMENTS)) {
      test(`refuses malformed ids as ${name}`, ({ registry }) =>
        assertAllRefused(registry, 'invalid_id', BAD_IDS.map(verbOf)));
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
    for (const [name, verbs] of Object.entries(OTHER_ARGUMENTS)) {
      test(`refuses ${name}`, ({ registry }) => assertAllRefused(registry, 'invalid_argument', verbs));
    }
  });
}

function insertion(changes: Partial<ApiKeyRecord>): Verb {
  return (registry) => registry.insertKey(keyOf(changes));
}

function withField(field: ApiKeyChange): Verb[] {
  return [insertion({ id: 'new', ...field }), (registry) => registry.updateKey('key-1', { label: 'partly', ...field })];
}

async function assertAllRefused(registry: ApiKeyRegistry, reason: LedgerReason, verbs: readonly Verb[]): Promise<void> {
  await registry.insertKey(keyOf());
  await assertNoChange(registry, async () => {
    for (const verb of verbs) await assertRefused(reason, () => verb(registry));
  });
}
