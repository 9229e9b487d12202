import assert from 'node:assert/strict';
import { isUpstreamError, type ModelRow, type Provider } from '@searchgate/core/provider-kit';
import { changedFields, requestsFor } from './check-options.js';
import { strangeReplies } from './list-mutations.js';
import { mutatedReplies } from './mutations.js';
import { type Entry, type EntryFixture, entriesOf, type Outcome } from './ports.js';
import { type Ending, hand } from './scene.js';

/** Fails for entries that the gateway refuses. */
export function checkEntries(outcome: EntryFixture['outcome']): void {
  assert.ok(hasUsableEntries(outcome), 'every index comes once, every score is a number, every vector has numbers');
}

/** One entry for each index, each with a score, or with a vector that is not zero and as long as the others. */
function hasUsableEntries(outcome: Outcome): boolean {
  const entries: readonly (Entry | null | undefined)[] = entriesOf(outcome);
  const indexes = new Set(entries.map((entry) => entry?.index));
  const values = entries.map((entry) => ('ranks' in outcome ? [entry?.score] : numbersOf(entry?.vector)));
  return (
    indexes.size === entries.length &&
    [...indexes].every((index) => Number.isInteger(index) && (index as number) >= 0) &&
    values.every((numbers) => numbers.length > 0 && numbers.length === values[0]?.length) &&
    ('ranks' in outcome || values.every((numbers) => numbers.some((number) => number !== 0))) &&
    values.flat().every((number) => Number.isFinite(number))
  );
}

function numbersOf(vector: unknown): readonly unknown[] {
  if (typeof vector !== 'string') return Array.isArray(vector) ? vector : [];
  const bytes = Buffer.from(vector, 'base64');
  if (bytes.toString('base64') !== vector || bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) return [];
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

/** The number that changed replies have in place of a value. */
const STRANGE_NUMBER = 7;

/** A broken entry makes the reply a fault: a rank or a vector that is lost or invented would stay unnoticed. */
export async function checkEntryChanges(provider: Provider, fixture: EntryFixture): Promise<void> {
  const values = Array.from(mutatedReplies(fixture.reply), (text) => ({ text, change: text }));
  for (const { text, change } of [...strangeReplies(fixture.reply), ...values])
    checkFaithful(await hand(provider, fixture, text), fixture.outcome, change);
}

/** Fails unless a changed reply is a fault, or yields the expected entries: all of them, with no other value than a number that the reply has. */
function checkFaithful(ending: Ending, expected: Outcome, change: string): void {
  if (isUpstreamError(ending)) {
    assert.match(ending.reason, /^(?:upstream_invalid_response|query_rejected)$/, change);
    return;
  }
  assert.ok((ending.cost.reported ?? 0n) >= 0n, 'the cost is not negative');
  const wanted = entriesOf(expected);
  const actual = entriesOf(ending);
  // The gateway refuses them.
  if (!hasUsableEntries(ending) || actual.length < wanted.length) return;
  const told = actual.filter(
    ({ index, score, vector }) => ![index, score, ...numbersOf(vector)].includes(STRANGE_NUMBER),
  );
  const own = told.map(({ index }) => wanted.find((entry) => entry.index === index));
  assert.deepEqual(told, own, `a broken entry makes the reply a fault: ${change}`);
}

/** Fails unless the lengths and roles that an embedding model declares reach the provider. */
export async function checkVectorForms(provider: Provider, model: ModelRow): Promise<void> {
  const { slug, features, dimensions = 1, leastDimensions, vectorLengths = [] } = model;
  const plain = await requestsFor(provider, model, {});
  if (features.includes('dimensions_param')) {
    const length = vectorLengths[0] ?? leastDimensions ?? Math.ceil(dimensions / 2);
    const sized = await requestsFor(provider, model, { dimensions: length });
    assert.ok(changedFields(plain, sized).length > 0, `${slug}: the length of the vectors changes the request`);
  }
  if (features.includes('input_type')) {
    const query = await requestsFor(provider, model, { inputType: 'query' });
    const document = await requestsFor(provider, model, { inputType: 'document' });
    const changed = [...changedFields(query, document), ...changedFields(document, query)];
    assert.ok(changed.length > 0, `${slug}: the role of the texts changes the request`);
  }
}
