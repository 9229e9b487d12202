import { expect, it } from 'vitest';

// Every name here is a promise to users: removing or renaming one is a breaking change.
async function exportsOf(entry: string): Promise<string> {
  const names = Object.keys((await import(entry)) as object);
  return names.sort().join('\n');
}

it('freezes the exports of @searchgate/core', async () => {
  expect(await exportsOf('@searchgate/core')).toMatchInlineSnapshot(`
    "CATEGORIES
    ConfigurationError
    GatewayError
    LIMIT_RESETS
    LedgerError
    MAX_NANO_USD
    REASONS
    RequestError
    UpstreamError
    apiKeyOfRecord
    checkAdjustment
    checkApiKeyChange
    checkApiKeyRecord
    checkClaim
    checkClaimRequest
    checkCompletion
    checkEntryQuery
    checkExpiry
    checkGrant
    checkHoldRequest
    checkKeyQuery
    checkLedgerId
    checkOrganization
    checkOrganizationChange
    checkRelease
    checkSettle
    checkTotal
    createAdministration
    createGateway
    decideHold
    eventToJson
    formatUsd
    generateApiKey
    hashApiKey
    isConfigurationError
    isGatewayError
    isLedgerError
    isRequestError
    isTotal
    isUpstreamError
    limitWindowAt
    maskUrls
    memoryApiKeys
    memoryIdempotency
    memoryLedger
    parseOptions
    parseUsd
    readRegistryQuery
    registryPage
    systemClock
    toFetchHandler"
  `);
});

it('freezes the exports of @searchgate/core/node', async () => {
  expect(await exportsOf('@searchgate/core/node')).toMatchInlineSnapshot(`
    "handleNode
    nodeResponse
    stripMountPath"
  `);
});

it('freezes the exports of @searchgate/core/providers', async () => {
  expect(await exportsOf('@searchgate/core/providers')).toMatchInlineSnapshot(`
    "UpstreamError
    allProviders
    anthropic
    bearer
    brave
    commonSettings
    composeAnswer
    deepseek
    desearch
    exa
    google
    jina
    jsonEndpoint
    kagi
    keyHeader
    linkup
    mistral
    openai
    openrouter
    optionalAmount
    optionalList
    optionalNumber
    optionalText
    outcomeCost
    parallel
    perplexity
    perplexityLegacyAliases
    serpapi
    tavily
    valyu
    xai
    you
    zai"
  `);
});

it('freezes the exports of @searchgate/core/testing', async () => {
  expect(await exportsOf('@searchgate/core/testing')).toMatchInlineSnapshot(`
    "FAULTS
    FAULT_EXPECTATIONS
    apiKeyRegistryConformance
    coreHost
    createFakeClock
    fetchHost
    httpConformance
    idempotencyConformance
    ledgerConformance
    nodeHost
    providerConformance
    startFaultUpstream"
  `);
});

it('freezes the exports of @searchgate/express', async () => {
  expect(await exportsOf('../../express/src/index.js')).toMatchInlineSnapshot(`"gatewayRouter"`);
});

it('freezes the exports of @searchgate/koa', async () => {
  expect(await exportsOf('../../koa/src/index.js')).toMatchInlineSnapshot(`"gatewayRouter"`);
});
