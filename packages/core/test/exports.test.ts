import { expect, it } from 'vitest';

/** Every name here is a promise to users: removing or renaming one is a breaking change. */
const EXPORTS = {
  '@searchgate/core': `
    CATEGORIES ConfigurationError GatewayError REASONS RequestError createGateway eventToJson formatUsd generateApiKey
    hashApiKey isConfigurationError isGatewayError isLedgerError isRequestError memoryApiKeys memoryIdempotency
    memoryLedger parseUsd toFetchHandler`,
  '@searchgate/core/administration': `
    AdministrationError createAdministration createUnsentReplies csvText encryptedTenantKeys expectedValue
    isAdministrationError`,
  '@searchgate/core/extensions':
    'RequestError byokText chatOptionsSchema costOf createFairQueue createSemaphore kindEndpointSchemas oneLine ownMarkers replyBody replyValue responsesOptionsSchema timeOfId',
  '@searchgate/core/ledger': `
    BUDGET_IDLE_DAYS ConfigurationError DAYS_KEPT_MS DOMAIN_RULE DURATION_BOUNDS HOURS_KEPT_MS LAST_DAY
    LIMIT_RESETS LedgerError MAX_ACCEPTABLE_AMOUNTS MAX_BUDGETS MAX_BUDGETS_OF_CALL MAX_CONCURRENT MAX_NANO_USD
    MAX_REQUESTS MAX_STATISTICS_ROWS MAX_TAGGED_ROWS MAX_TOTAL_NANO_USD NOTHING_REMOVED NO_BUDGET_COUNTERS
    NO_KEY_COUNTERS NO_ORGANIZATION_COUNTERS STEPS_MS USAGE_GROUPS USAGE_SUMS addEntry addPacked addSums addText addToGroup
    attemptOf auditId auditLedger backoffMs budgetIdsOf budgetName byPlace callerLimitSchemas changedKey checkTotal
    clientGroup clockSchema collectStatistics countSchema createApiKeyRegistry createAuditLog createDurableLedger
    createIdempotencyStore createLedger createLogReplay cursorOf dateOfDay dayOf decideAdmission decideHold entriesOf
    entryOf errorMessage expireHold firstDayOf fitsFilter fitsRate fitsStatistics formatUsd inLongerSteps isClock isFailed isGatewayError
    isInUsage isLedgerError isMaxConcurrent isRateLimit latestWindows ledgerIdSchema limitWindowAt limitWindowsAt
    maskUrls memoryAuditLog memoryRequestLog memoryTenantKeyStore millisecondsSchema monthOfDay msUntilFull
    msUntilNext newOrganization noUsage oneLine packedOf parseOptions parseUsd placeOf quantileMs rateRemaining rateUsedAt
    readDomainRule requestOf retry rowOfStored slicesOf splitDays stateOperations statisticsOfMinutes statusRange
    storedRequest systemClock textOfSums throttledLogger usageDimensionsOf usageGroupsOf usagePage usageSumsOf`,
  '@searchgate/core/metrics': 'METRICS recordGauges recordMetrics',
  '@searchgate/core/node': 'checkMount closeServer handleNode isCalledBy nodeResponse protectServer stripMountPath',
  '@searchgate/core/openapi': 'openApiDocument',
  '@searchgate/core/provider-kit': `
    PAGE_FAILURES UpstreamError assertComplete assertQueryFits assertSearched atHost bearer chatCompletion
    chatFinish citedText commonSettings composeAnswer createEventReader definedFields embedAt finishOfWord finishReasonOf
    firstDay formatUsd isUpstreamError joinCited jsonAnswer jsonEndpoint keyHeader liveParts looseList markersIn
    markersOf maskSecrets messagesOf openUpstream optional outcomeCost outputLimit parseJsonObject parseOptions
    parseProviderSettings parseUsd queryEndpoint readChatCompletion reduceChat reduceChatCompletion rerankAt resolvedSearch
    responsesReply searchesOf systemText textTokens tokensOf unmarkedText upstreamFailure wholeNumber withSystemText`,
  '@searchgate/testing': `
    FAULTS FAULT_EXPECTATIONS apiKeyRegistryConformance auditLogConformance auditRecordAt coreHost createFakeClock
    fakeProvider fetchHost httpConformance idempotencyConformance instanceBoardConformance ledgerConformance nodeHost
    providerConformance refusedWritesConformance requestLogConformance startFaultUpstream tenantKeyStoreConformance`,
  '../../client/src/index.js': 'SearchgateError createClient isSearchgateError',
  '../../composed/src/index.js': 'composed',
  '../../express/src/index.js': 'gatewayRouter',
  '../../koa/src/index.js': 'gatewayRouter',
  '../../opentelemetry/src/index.js': 'gatewayMetrics gatewayTracer',
  '../../prometheus/src/index.js': 'gatewayMetrics prometheusName',
  '@searchgate/dialects': 'chatCompletions exa firecrawl responses searxng tavily',
  '../../mcp/src/index.js': 'mcp',
  '../../webhooks/src/index.js': 'deliverWebhooks',
};

it.each(Object.entries(EXPORTS))('freezes the exports of %s', async (entry, names) => {
  const exported = Object.keys((await import(entry)) as object);
  expect(exported.sort()).toEqual(names.trim().split(/\s+/));
});
