import assert from 'node:assert/strict';
import {
  isUpstreamError,
  type ModelRow,
  type PortName,
  type PriceRow,
  type Provider,
  type ProviderLimits,
  parseUsd,
} from '@searchgate/core/provider-kit';
import {
  FAULT_EXPECTATIONS,
  FAULTS,
  type Fault,
  type FaultExpectation,
  type FaultReply,
  type ReplyFault,
} from './faults.js';
import { checkEntryChanges, checkVectorForms } from './provider/check-entries.js';
import {
  checkReplyEvidence,
  checkStreamEvidence,
  comesAsStream,
  type ReplyEvidence,
} from './provider/check-evidence.js';
import { checkLists } from './provider/check-lists.js';
import { checkNulls } from './provider/check-nulls.js';
import { checkOptions } from './provider/check-options.js';
import {
  assertAnswered,
  checkAnswer,
  checkFailure,
  checkInvariants,
  checkOutcome,
  checkSecrecy,
} from './provider/check-outcome.js';
import { assertNothing, checkPageLists } from './provider/check-pages.js';
import { checkRequest } from './provider/check-request.js';
import {
  checkBrokenStreams,
  checkErrorEvents,
  checkStalls,
  checkStream,
  checkStreamMutations,
} from './provider/check-stream.js';
import { handLive, hasStream, LiveLog, streamReply } from './provider/live-run.js';
import { beginnings, isStream, mutatedReplies } from './provider/mutations.js';
import { isEntryFixture, kindOf, modelsOf, PORT_KINDS, type PortKind, QUERY, textsAsked } from './provider/ports.js';
import {
  type AnswerFixture,
  bodyOf,
  isAnswerFixture,
  isOutcomeFixture,
  isStreamFailure,
  type OutcomeFixture,
  type ProviderFixture,
} from './provider/provider-fixture.js';
import { hand, type Scene, withScene } from './provider/scene.js';
import type { TestRunner } from './test-runner.js';

const PROVIDER_ID = /^[a-z0-9][a-z0-9-]*$/;
const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
const CONFIDENCES = ['high', 'medium', 'low'];

/** The ports of a provider. */
function portsOf(provider: Provider): PortKind[] {
  return PORT_KINDS.filter((kind) => provider[kind] !== undefined);
}

function allModels(provider: Provider): ModelRow[] {
  return portsOf(provider).flatMap((kind) => modelsOf(provider, kind));
}

/** Fails unless the catalog can list and price the provider's models. */
function checkModels(provider: Provider): void {
  const { id, name, models, answer, extract, embed } = provider;
  assert.match(id, PROVIDER_ID, 'the id is lower-case letters, digits and dashes');
  assert.notEqual(name.trim(), '', 'the provider has a name');
  assert.ok(portsOf(provider).length > 0, 'there is a port');
  assert.ok(answer !== undefined || models.length === 0, 'answer models need the port answer');
  const slugs = allModels(provider).map(({ slug }) => slug);
  assert.deepEqual(slugs, [...new Set(slugs)], 'no slug comes twice');
  for (const kind of portsOf(provider)) {
    assert.ok(modelsOf(provider, kind).length > 0, `there is a model of the port ${kind}`);
    for (const model of modelsOf(provider, kind)) checkModel(id, kind, model);
  }
  if (extract !== undefined) assert.ok(isCount(extract.maxUrls), 'maxUrls is a count of addresses');
  if (embed !== undefined) assert.ok(isCount(embed.maxInputs), 'maxInputs is a count of texts');
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0;
}

/** Fails unless the limits in a provider's settings reach the gateway. */
function checkLimits(create: (limits: ProviderLimits) => Provider): void {
  const given = { rateLimit: { requests: 7, periodMs: 1_000 }, maxConcurrent: 3, maxQueueMs: 5 };
  const { limits } = create(given);
  assert.deepEqual({ ...limits }, given, 'the settings rateLimit, maxConcurrent and maxQueueMs are its limits');
}

function checkModel(providerId: string, kind: PortKind, model: ModelRow): void {
  const { slug, name, description, prices, features, contextLength, timeoutMs, maxResults, dimensions } = model;
  assert.ok(slug.startsWith(`${providerId}/`), `${slug} begins with the provider’s id`);
  assert.match(slug.slice(providerId.length + 1), MODEL_NAME, `${slug} has a plain name`);
  assert.ok(name.trim() !== '' && description.trim() !== '', `${slug} has a name and a description`);
  assert.ok(kind !== 'answer' || features.includes('citations'), `${slug} gives citations`);
  assert.ok(kind !== 'search' || isCount(maxResults), `${slug}: maxResults`);
  assert.ok(kind !== 'embed' || isCount(dimensions), `${slug}: dimensions`);
  assert.ok(contextLength == null || isCount(contextLength), `${slug}: contextLength`);
  assert.ok(isCount(timeoutMs), `${slug}: timeoutMs`);
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
  const { perResult, perPage, perSearchUnit, perMillionTokens } = price;
  const ofUnits = [perResult, perPage, perSearchUnit, perMillionTokens];
  const rates =
    price.kind === 'flat'
      ? [price.request, ...ofUnits]
      : [
          price.perMillionInputTokens,
          price.perMillionCachedInputTokens,
          price.perMillionOutputTokens,
          price.perSearch,
          ...ofUnits,
        ];
  for (const rate of rates) assert.ok(parseUsd(rate ?? '0') >= 0n, `${slug}: no price is negative`);
  if (price.kind === 'flat') {
    assert.ok(
      rates.some((rate) => rate !== undefined),
      `${slug}: the row has a price`,
    );
    return;
  }
  const { typical, ceiling } = price;
  assert.ok(parseUsd(typical) > 0n && parseUsd(typical) <= parseUsd(ceiling), `${slug}: 0 < typical ≤ ceiling`);
}

/** The base URL for checks without a request. */
const NOWHERE = 'http://127.0.0.1:9';

/** Omitted fields have their usual values. */
type DocumentedFault = { readonly [Field in keyof FaultExpectation]?: FaultExpectation[Field] | undefined };

/** Facts that differ between providers, or between the ports of a provider. */
export interface ProviderRules {
  /** The name of the URL parameter with the key, if the provider has no header for it; `null` if it takes no key. @default the key must be in a header */
  readonly keyParameter?: string | null | undefined;
  /** Faults with another documented meaning than the usual. `'nothing found'`: no error, but a search without results, or pages that are not read. @default none */
  readonly faults?: { readonly [F in Fault]?: DocumentedFault | 'nothing found' | undefined } | undefined;
  /** Replies for faults in the provider's shape; `error_in_200` and `empty_answer` are worth giving. @default none: every fault has a reply in a common shape */
  readonly faultReplies?: { readonly [F in ReplyFault]?: FaultReply | undefined } | undefined;
}

/** By port: its rules that differ from the provider's. */
type RulesOfPorts = { readonly [Name in PortName]?: ProviderRules | undefined };

/** The provider under test, its recorded replies, and the test runner. */
export interface ProviderConformanceOptions extends TestRunner, ProviderRules, RulesOfPorts {
  /** The key that `create` gives to the provider: a unique text of at least 16 characters. */
  readonly secret: string;
  /**
   * Builds the provider with the secret as its key and this base URL. If it also takes limits as settings, a test checks that the gateway gets
   * them: `(baseUrl, limits) => mine({ apiKey: secret, baseUrl, ...limits })`.
   */
  readonly create: (baseUrl: string, limits?: ProviderLimits) => Provider;
  /** The evidence that a reply is complete. */
  readonly evidence: ReplyEvidence;
  /** At least one success of every model. */
  readonly fixtures: readonly ProviderFixture[];
}

/**
 * The duties of every provider as tests. Its models can be listed and priced. Its requests carry the key in a header (or the `keyParameter`) and the
 * question in the body (of a GET, in the URL). Each search option of a model changes the declared field, not the question. Each fixture yields exactly
 * the given outcome, through the real upstream client and a loopback server. Any reply yields an answer or an `UpstreamError`; an invalid entry of a list
 * is dropped alone, or makes a reply of ranks or vectors a fault; a key of an organization is sent in place of the operator's, where the provider has `ownKeys`; a field that is `null` means the same as an absent field; a truncated stream, or a reply without its evidence, is never an answer; no error shows a part of the key; every fault is classified, within the deadline and after one request.
 */
export function providerConformance(options: ProviderConformanceOptions): void {
  const { describe, it, fixtures } = options;
  const provider = options.create(NOWHERE);
  describe(`the provider ${provider.id}`, () => {
    it('declares models that can be listed and priced', async () => checkModels(provider));
    if (options.create.length > 1)
      it('hands its limits to the gateway', async () => checkLimits((limits) => options.create(NOWHERE, limits)));
    for (const { slug } of allModels(provider))
      it(`sends a proper request for ${slug}`, () => testRequest(options, slug));
    for (const model of allModels(provider).filter((candidate) => candidate.options !== undefined))
      it(`asks for the search options that ${model.slug} declares`, () => checkOptions(provider, model));
    for (const model of modelsOf(provider, 'embed'))
      it(`asks for the forms of vectors that ${model.slug} declares`, () => checkVectorForms(provider, model));
    for (const fixture of fixtures) {
      it(`understands ${fixture.name} from ${fixture.model}`, () => testFixture(options, fixture));
    }
    testOwnKeys(options, provider);
    testReplies(options, provider);
    for (const { slug, features } of provider.models)
      if (features.includes('streaming')) it(`streams ${slug}`, () => testStreamRequest(options, slug));
    testStreams(options, provider);
    testEvidence(options, provider);
    it('reads past informational replies', () => testInformational(options));
    for (const kind of portsOf(provider)) testTroubles(options, provider, kind);
  });
}

/** A key of an organization. */
const OWN_KEY = 'own-key-of-an-organization';

/** Each success once more, with a key of an organization: the operator must not pay for it. */
function testOwnKeys({ it, fixtures, create, secret }: ProviderConformanceOptions, { ownKeys }: Provider): void {
  if (ownKeys !== true) return;
  function checkKeys({ requests }: Scene['upstream']): void {
    const sent = requests.map(({ url, headers, body }) => JSON.stringify([url, headers, body]));
    assert.ok(sent.length > 0 && sent.every((text) => text.includes(OWN_KEY)), 'the key of the organization is sent');
    assert.ok(!sent.some((text) => text.includes(secret)), 'the key of the operator is not sent');
  }
  for (const fixture of fixtures.filter(isOutcomeFixture))
    it(`sends the key of an organization for ${fixture.name} from ${fixture.model}`, async () => {
      const { status = 200, headers = {} } = fixture;
      await withScene({ healthyReply: { status, headers, body: bodyOf(fixture) } }, async ({ upstream, attempt }) => {
        checkOutcome(await attempt(create(upstream.url), { ...fixture, apiKey: OWN_KEY }), fixture);
        checkKeys(upstream);
      });
      if (!isAnswerFixture(fixture) || !hasStream(fixture)) return;
      await withScene({ healthyReply: streamReply(fixture) }, async ({ upstream, stream }) => {
        const streamed = { live: new LiveLog(), apiKey: OWN_KEY };
        assertAnswered(await stream(create(upstream.url), fixture.model, streamed));
        checkKeys(upstream);
      });
    });
}

/** Each reply of a success once, with changes. */
function testReplies({ it, fixtures }: ProviderConformanceOptions, provider: Provider): void {
  const successes = fixtures.filter(isOutcomeFixture);
  const byReply = new Map(successes.map((fixture) => [`${fixture.kind} ${bodyOf(fixture)}`, fixture]));
  const replies = [...byReply.values()];
  for (const fixture of replies) {
    const name = `${fixture.name} from ${fixture.model}`;
    const isFirst = fixture === replies.find(({ kind }) => kind === fixture.kind);
    it(`reads null as an absent field${isFirst ? '' : ' too'} in ${name}`, () =>
      checkNulls(fixture.reply, (text) => hand(provider, fixture, text)));
    if (isEntryFixture(fixture)) {
      it(`refuses invalid entries in ${name}`, () => checkEntryChanges(provider, fixture));
      continue;
    }
    it(`survives any value in ${name}`, () => testMutations(provider, fixture));
    it(`loses only the invalid entries of lists in ${name}`, () =>
      isAnswerFixture(fixture) ? checkLists(provider, fixture) : checkPageLists(provider, fixture));
    if (isAnswerFixture(fixture) && isStream(fixture.reply))
      it(`refuses a truncation of ${name}`, () => testCuts(provider, fixture));
  }
}

/** What goes wrong at the upstream of a port. */
function testTroubles(options: ProviderConformanceOptions, provider: Provider, kind: PortKind): void {
  const { it } = options;
  const port = kind === 'answer' ? '' : ` to ${kind}`;
  for (const status of [200, 400, 401, 403, 429, 500]) {
    it(`hides the key when a ${status}${port} repeats it`, () => testEcho(options, { provider, kind, status }));
  }
  // An outcome without pages is no fault, and the other outcomes have no text.
  const faults = kind === 'answer' ? FAULTS : FAULTS.filter((fault) => fault !== 'empty_answer');
  for (const fault of faults) it(`classifies ${fault}${port}`, () => testFault(options, { kind, fault }));
}

/** The rules of a port. */
function rulesOf(options: ProviderConformanceOptions, kind: PortKind): ProviderRules {
  const own = kind === 'answer' ? {} : (options[kind] ?? {});
  const { keyParameter = options.keyParameter } = own;
  return {
    keyParameter,
    faults: { ...options.faults, ...own.faults },
    faultReplies: { ...options.faultReplies, ...own.faultReplies },
  };
}

async function testRequest(options: ProviderConformanceOptions, slug: string): Promise<void> {
  const { create, fixtures, secret } = options;
  const fixture = fixtures.filter(isOutcomeFixture).find(({ model }) => model === slug);
  assert.ok(fixture !== undefined, `there is a fixture with a success of ${slug}`);
  const { status, headers } = fixture;
  await withScene({ healthyReply: { status, headers, body: bodyOf(fixture) } }, async ({ upstream, attempt }) => {
    const provider = create(`${upstream.url}/some/prefix`);
    const kind = kindOf(provider, slug);
    const ending = await attempt(provider, { model: slug });
    if (kind === 'answer') assertAnswered(ending);
    const [request, ...others] = upstream.requests;
    assert.ok(request !== undefined && others.length === 0, 'one request is sent');
    const { keyParameter } = rulesOf(options, kind);
    checkRequest(request, { prefix: '/some/prefix', secret, asked: textsAsked(provider, slug), keyParameter });
  });
}

/** Tests each stream once, with the checks of replies. */
function testStreams({ it, fixtures, create }: ProviderConformanceOptions, provider: Provider): void {
  const streamed = fixtures.filter(isAnswerFixture).filter(hasStream);
  const streams = [...new Map(streamed.map((each) => [each.stream.body, each])).values()];
  for (const fixture of streams.slice(0, 1)) {
    it(`reads null as an absent field in the stream of ${fixture.name} from ${fixture.model}`, () =>
      checkNulls(fixture.stream.body, async (text) => (await handLive(provider, fixture, [text])).ending));
  }
  for (const fixture of streams) {
    const name = `${fixture.name} from ${fixture.model}`;
    it(`streams ${name} in parts`, () => checkStream(provider, fixture));
    it(`refuses a truncated stream of ${name}`, () => checkBrokenStreams(provider, fixture));
    it(`sees an error in the stream of ${name}`, () => checkErrorEvents(provider, fixture));
    it(`survives any value in the stream of ${name}`, () => checkStreamMutations(provider, fixture));
    it(`does not wait for the rest of the stream of ${name}`, () => checkStalls(create, fixture));
  }
}

/** Tests each plain JSON reply, and each stream. */
function testEvidence({ it, fixtures, evidence }: ProviderConformanceOptions, provider: Provider): void {
  const { reply: paths, stream } = evidence;
  for (const fixture of fixtures.filter(isAnswerFixture)) {
    const name = `${fixture.name} from ${fixture.model}`;
    if (paths !== 'valid JSON' && !isStream(fixture.reply))
      it(`accepts ${name} only with its evidence`, () => checkReplyEvidence(provider, fixture, paths));
    if (comesAsStream(fixture))
      it(`accepts the stream of ${name} only after its evidence`, () =>
        checkStreamEvidence(provider, fixture, stream ?? []));
  }
}

async function testStreamRequest(options: ProviderConformanceOptions, slug: string): Promise<void> {
  const { create, secret, keyParameter } = options;
  const ofModel = options.fixtures.filter(isAnswerFixture).filter(({ model }) => model === slug);
  const fixture = ofModel.find(hasStream);
  assert.ok(fixture !== undefined, `there is a fixture with a stream of ${slug}`);
  await withScene({ healthyReply: streamReply(fixture) }, async ({ upstream, stream }) => {
    assertAnswered(await stream(create(`${upstream.url}/some/prefix`), slug, { live: new LiveLog() }));
    const [request, ...others] = upstream.requests;
    assert.ok(request !== undefined && others.length === 0, 'one request is sent');
    checkRequest(request, { prefix: '/some/prefix', secret, asked: [QUERY], keyParameter });
  });
}

async function testFixture({ create, secret }: ProviderConformanceOptions, fixture: ProviderFixture): Promise<void> {
  if (isStreamFailure(fixture)) {
    await withScene({ healthyReply: streamReply(fixture) }, async ({ upstream, stream }) => {
      const ending = await stream(create(upstream.url), fixture.model, { live: new LiveLog() });
      checkSecrecy(ending, secret);
      checkFailure(ending, fixture.failure);
    });
    return;
  }
  const { status = 200, headers = {} } = fixture;
  await withScene({ healthyReply: { status, headers, body: bodyOf(fixture) } }, async ({ upstream, attempt }) => {
    const ending = await attempt(create(upstream.url), fixture);
    checkSecrecy(ending, secret);
    if (isOutcomeFixture(fixture)) checkOutcome(ending, fixture);
    else checkFailure(ending, fixture.failure);
  });
}

/** A provider may change its replies at any time: the result is an outcome or a classified failure, never a crash. */
async function testMutations(provider: Provider, fixture: OutcomeFixture): Promise<void> {
  for (const text of mutatedReplies(fixture.reply)) {
    const ending = await hand(provider, fixture, text);
    if (isUpstreamError(ending))
      assert.match(ending.reason, /^(?:upstream_invalid_response|query_rejected|no_answer_found)$/, text);
    else checkInvariants(ending);
  }
}

/** A stream may end abruptly: the result is the complete answer, perhaps without trailing text, or a failure. */
async function testCuts(provider: Provider, fixture: AnswerFixture): Promise<void> {
  for (const text of beginnings(String(fixture.reply))) {
    const ending = await hand(provider, fixture, text);
    if (isUpstreamError(ending)) assert.equal(ending.reason, 'upstream_invalid_response', text);
    else checkAnswer(ending, fixture.answer);
  }
}

interface Trouble {
  readonly provider: Provider;
  readonly kind: PortKind;
}

async function testEcho(options: ProviderConformanceOptions, { provider, kind, status }: Trouble & { status: number }) {
  const [{ slug: model } = { slug: '' }] = modelsOf(provider, kind);
  const echoes = (provider.ownKeys === true ? [undefined, OWN_KEY] : [undefined]).flatMap((apiKey) => {
    const secret = apiKey ?? options.secret;
    const message = `The key ${secret}, also known as ${secret.slice(0, 10)}***, is wrong.`;
    const bodies = [{ error: message }, { error: { message, code: secret } }, { detail: message }, message];
    return bodies.map((value) => ({ apiKey, secret, body: JSON.stringify(value) }));
  });
  for (const { apiKey, secret, body } of echoes) {
    await withScene({ healthyReply: { status, body } }, async ({ upstream, attempt }) => {
      const ending = await attempt(options.create(upstream.url), { model, apiKey });
      checkSecrecy(ending, secret);
      if (!isUpstreamError(ending)) assertNothing(ending);
    });
  }
}

/** An upstream may send any number of 1xx responses before the reply. */
async function testInformational({ create, fixtures }: ProviderConformanceOptions): Promise<void> {
  const fixture = fixtures.find(isOutcomeFixture);
  assert.ok(fixture !== undefined, 'there is a fixture with a success');
  const { status = 200, headers = {} } = fixture;
  await withScene({ healthyReply: { status, headers, body: bodyOf(fixture) } }, async ({ upstream, attempt }) => {
    checkOutcome(await attempt(create(upstream.url), fixture, 'healthy_after_informational'), fixture);
  });
}

async function testFault(options: ProviderConformanceOptions, { kind, fault }: { kind: PortKind; fault: Fault }) {
  const { faults = {}, faultReplies } = rulesOf(options, kind);
  const fixture = options.fixtures.filter(isOutcomeFixture).find(({ kind: of = 'answer' }) => of === kind);
  assert.ok(fixture !== undefined, `there is a fixture with a success of the port ${kind}`);
  await withScene({ healthyReply: { body: bodyOf(fixture) }, replies: faultReplies }, async ({ upstream, attempt }) => {
    const ending = await attempt(options.create(upstream.url), fixture, fault);
    assert.ok(upstream.requests.length <= 1, 'a failed request is not repeated');
    const documented = faults[fault];
    if (documented === 'nothing found') {
      assertNothing(ending);
      return;
    }
    assert.ok(isUpstreamError(ending), 'a fault is no success');
    const { reason, phase, status, retryAfterMs } = ending;
    assert.deepEqual({ reason, phase, status, retryAfterMs }, { ...FAULT_EXPECTATIONS[fault], ...documented });
  });
}
