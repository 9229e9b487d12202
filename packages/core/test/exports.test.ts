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
    REASONS
    RequestError
    createGateway
    eventToJson
    formatUsd
    generateApiKey
    hashApiKey
    isConfigurationError
    isGatewayError
    isLedgerError
    isRequestError
    memoryApiKeys
    memoryIdempotency
    memoryLedger
    parseUsd
    toFetchHandler"
  `);
});

it('freezes the exports of @searchgate/core/administration', async () => {
  expect(await exportsOf('@searchgate/core/administration')).toMatchInlineSnapshot(`
    "AdministrationError
    createAdministration
    createUnsentReplies
    csvText
    isAdministrationError"
  `);
});

it('freezes the exports of @searchgate/core/extensions besides types', async () => {
  expect(await exportsOf('@searchgate/core/extensions')).toMatchInlineSnapshot(`
    "RequestError
    createFairQueue
    createSemaphore"
  `);
});

it('freezes the exports of @searchgate/core/ledger', async () => {
  expect(await exportsOf('@searchgate/core/ledger')).toMatchInlineSnapshot(`
    "ConfigurationError
    LAST_DAY
    LIMIT_RESETS
    LedgerError
    MAX_ACCEPTABLE_AMOUNTS
    MAX_CONCURRENT
    MAX_NANO_USD
    MAX_REQUESTS
    MAX_TAGGED_ROWS
    MAX_TOTAL_NANO_USD
    NOTHING_REMOVED
    NO_KEY_COUNTERS
    NO_ORGANIZATION_COUNTERS
    USAGE_GROUPS
    USAGE_SUMS
    addEntry
    addSums
    addToGroup
    auditId
    auditLedger
    backoffMs
    byPlace
    callerLimitSchemas
    changedKey
    checkTotal
    clientGroup
    clockSchema
    countSchema
    createApiKeyRegistry
    createAuditLog
    createDurableLedger
    createIdempotencyStore
    createLedger
    createLogReplay
    cursorOf
    dateOfDay
    dayOf
    decideAdmission
    decideHold
    differenceOfSums
    entryOf
    errorMessage
    expireHold
    firstDayOf
    fitsFilter
    fitsRate
    formatUsd
    isClock
    isGatewayError
    isLedgerError
    isMaxConcurrent
    isRateLimit
    latestWindows
    ledgerIdSchema
    limitWindowAt
    limitWindowsAt
    maskUrls
    memoryAuditLog
    memoryRequestLog
    millisecondsSchema
    monthOfDay
    msUntilFull
    msUntilNext
    newOrganization
    noUsage
    oneLine
    parseOptions
    parseUsd
    placeOf
    rateRemaining
    rateUsedAt
    requestOf
    retry
    rowOfStored
    slicesOf
    splitDays
    stateOperations
    statusRange
    storedRequest
    systemClock
    throttledLogger
    usageDimensionsOf
    usagePage
    usageSumsOf"
  `);
});

it('freezes the exports of @searchgate/core/metrics', async () => {
  expect(await exportsOf('@searchgate/core/metrics')).toMatchInlineSnapshot(`
    "METRICS
    recordGauges
    recordMetrics"
  `);
});

it('freezes the exports of @searchgate/core/node', async () => {
  expect(await exportsOf('@searchgate/core/node')).toMatchInlineSnapshot(`
    "checkMount
    closeServer
    handleNode
    nodeResponse
    protectServer
    stripMountPath"
  `);
});

it('freezes the exports of @searchgate/core/openapi', async () => {
  expect(await exportsOf('@searchgate/core/openapi')).toMatchInlineSnapshot(`"openApiDocument"`);
});

it('freezes the exports of @searchgate/core/provider-kit', async () => {
  expect(await exportsOf('@searchgate/core/provider-kit')).toMatchInlineSnapshot(`
    "PAGE_FAILURES
    UpstreamError
    askedSearch
    assertComplete
    assertQueryFits
    assertSearched
    atHost
    bearer
    chatCompletion
    chatFinish
    citedText
    commonSettings
    composeAnswer
    createEventReader
    definedFields
    finishOfWord
    finishReasonOf
    firstDay
    formatUsd
    isUpstreamError
    joinCited
    jsonAnswer
    jsonEndpoint
    keyHeader
    liveParts
    looseList
    markersIn
    markersOf
    maskSecrets
    messagesOf
    openUpstream
    optionalAddresses
    optionalAmount
    optionalList
    optionalNumber
    optionalNumbers
    optionalText
    optionalTexts
    outcomeCost
    parseJsonObject
    parseOptions
    parseProviderSettings
    parseUsd
    queryEndpoint
    readChatCompletion
    reduceAtEnd
    reduceChat
    reduceChatCompletion
    responsesReply
    searchesOf
    textTokens
    tokensOf
    unmarkedText
    upstreamFailure"
  `);
});

it('freezes the exports of @searchgate/testing', async () => {
  expect(await exportsOf('@searchgate/testing')).toMatchInlineSnapshot(`
    "FAULTS
    FAULT_EXPECTATIONS
    apiKeyRegistryConformance
    auditLogConformance
    auditRecordAt
    coreHost
    createFakeClock
    fakeProvider
    fetchHost
    httpConformance
    idempotencyConformance
    instanceBoardConformance
    ledgerConformance
    nodeHost
    providerConformance
    refusedWritesConformance
    requestLogConformance
    startFaultUpstream"
  `);
});

it('freezes the exports of @searchgate/client', async () => {
  expect(await exportsOf('../../client/src/index.js')).toMatchInlineSnapshot(`
    "SearchgateError
    createClient
    isSearchgateError"
  `);
});

it('freezes the exports of @searchgate/express', async () => {
  expect(await exportsOf('../../express/src/index.js')).toMatchInlineSnapshot(`"gatewayRouter"`);
});

it('freezes the exports of @searchgate/koa', async () => {
  expect(await exportsOf('../../koa/src/index.js')).toMatchInlineSnapshot(`"gatewayRouter"`);
});

it('freezes the exports of @searchgate/opentelemetry', async () => {
  expect(await exportsOf('../../opentelemetry/src/index.js')).toMatchInlineSnapshot(`
    "gatewayMetrics
    gatewayTracer"
  `);
});

it('freezes the exports of @searchgate/prometheus', async () => {
  expect(await exportsOf('../../prometheus/src/index.js')).toMatchInlineSnapshot(`
    "gatewayMetrics
    prometheusName"
  `);
});

it('freezes the exports of @searchgate/mcp', async () => {
  expect(await exportsOf('../../mcp/src/index.js')).toMatchInlineSnapshot(`"mcp"`);
});

it('freezes the exports of @searchgate/webhooks', async () => {
  expect(await exportsOf('../../webhooks/src/index.js')).toMatchInlineSnapshot(`"deliverWebhooks"`);
});
