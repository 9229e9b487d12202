import assert from 'node:assert/strict';
import {
  type AnswerModel,
  type PriceRow,
  type Provider,
  type ProviderLimits,
  parseUsd,
} from '@searchgate/core/provider-kit';

const PROVIDER_ID = /^[a-z0-9][a-z0-9-]*$/;
const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
const CONFIDENCES = ['high', 'medium', 'low'];

/** Fails unless the provider and its model rows are what the catalog can list and price. */
export function checkModels({ id, name, models }: Provider): void {
  assert.match(id, PROVIDER_ID, 'the id is lower-case letters, digits and dashes');
  assert.notEqual(name.trim(), '', 'the provider has a name');
  assert.ok(models.length > 0, 'there is a model');
  const slugs = models.map(({ slug }) => slug);
  assert.deepEqual(slugs, [...new Set(slugs)], 'no slug comes twice');
  for (const model of models) checkModel(id, model);
}

/** Fails unless the limits among a provider's settings become those that the gateway reads. */
export function checkLimits(create: (limits: ProviderLimits) => Provider): void {
  const given = { rateLimit: { requests: 7, periodMs: 1_000 }, maxConcurrent: 3, maxQueueMs: 5 };
  const { limits } = create(given);
  assert.deepEqual({ ...limits }, given, 'the settings rateLimit, maxConcurrent and maxQueueMs are its limits');
}

function checkModel(providerId: string, model: AnswerModel): void {
  const { slug, name, description, prices, features, contextLength, timeoutMs } = model;
  assert.ok(slug.startsWith(`${providerId}/`), `${slug} begins with the provider’s id`);
  assert.match(slug.slice(providerId.length + 1), MODEL_NAME, `${slug} has a plain name`);
  assert.ok(name.trim() !== '' && description.trim() !== '', `${slug} has a name and a description`);
  assert.ok(features.includes('citations'), `${slug} gives citations`);
  assert.ok(contextLength === null || (Number.isInteger(contextLength) && contextLength > 0), `${slug}: contextLength`);
  assert.ok(Number.isInteger(timeoutMs) && timeoutMs > 0, `${slug}: timeoutMs`);
  const starts = prices.map(({ validFrom }) => validFrom ?? '');
  assert.equal(starts[0], '', `${slug}: the first price holds since always`);
  assert.deepEqual(starts, [...new Set(starts)].sort(), `${slug}: prices are in order of validFrom`);
  for (const price of prices) checkPrice(slug, price);
}

function checkPrice(slug: string, price: PriceRow): void {
  assert.notEqual(price.source.trim(), '', `${slug}: the price has a source`);
  assert.ok(CONFIDENCES.includes(price.confidence), `${slug}: the price has a confidence`);
  for (const date of [price.asOf, price.validFrom ?? price.asOf]) {
    assert.ok(ISO_DATE.test(date) && !Number.isNaN(Date.parse(date)), `${slug}: ${date} is an ISO date`);
  }
  if (price.kind === 'flat') {
    assert.ok(parseUsd(price.request) >= 0n, `${slug}: the price is not negative`);
    return;
  }
  const {
    kind: _kind,
    typical,
    ceiling,
    perMillionInputTokens,
    perMillionCachedInputTokens,
    perMillionOutputTokens,
    perSearch,
  } = price;
  for (const rate of [perMillionInputTokens, perMillionCachedInputTokens, perMillionOutputTokens, perSearch]) {
    assert.ok(parseUsd(rate ?? '0') >= 0n, `${slug}: no rate is negative`);
  }
  assert.ok(parseUsd(typical) > 0n && parseUsd(typical) <= parseUsd(ceiling), `${slug}: 0 < typical ≤ ceiling`);
}
