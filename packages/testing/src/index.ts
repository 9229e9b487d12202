// HTTP conformance of a host
export { coreHost } from './http/core-host.js';
export { fetchHost } from './http/fetch-host.js';
export { type NodeListener, nodeHost } from './http/node-host.js';
export type { ExchangeListener, StartHost } from './http/run-case.js';
export type { Exchange, HttpUnderTest, WireBody, WireRequest, WireResponse } from './http/wire.js';
export { type HttpCapabilities, httpConformance, type HttpConformanceOptions } from './http-conformance.js';

// Provider conformance
export type { ReplyEvidence } from './provider/check-evidence.js';
export type {
  AnswerFixture,
  ExpectedFailure,
  FailureFixture,
  PortFixture,
  ProviderFixture,
  StreamFailureFixture,
  StreamFixture,
} from './provider/provider-fixture.js';
export { providerConformance, type ProviderConformanceOptions, type ProviderRules } from './provider-conformance.js';

// Ledger conformance
export type { LedgerCapabilities, LedgerConformanceOptions, LedgerUnderTest } from './ledger/ledger-suite.js';
export { ledgerConformance } from './ledger-conformance.js';

// A durable ledger that can be read and not written
export * from './refused-writes-conformance.js';

// API key registry conformance
export type {
  ApiKeyRegistryConformanceOptions,
  RegistryCapabilities,
  RegistryUnderTest,
} from './registry/registry-suite.js';
export { apiKeyRegistryConformance } from './api-key-registry-conformance.js';

// Conformance of a store of idempotency keys
export type {
  IdempotencyCapabilities,
  IdempotencyConformanceOptions,
  IdempotencyUnderTest,
} from './idempotency/idempotency-suite.js';
export { idempotencyConformance } from './idempotency-conformance.js';

// A fault upstream
export * from './fault-upstream.js';
export {
  FAULT_EXPECTATIONS,
  FAULTS,
  type Fault,
  type FaultExpectation,
  type FaultReply,
  type ReplyFault,
} from './faults.js';
export type { FaultScript, Health, RequestFault } from './play-fault.js';

// A fake provider for tests of a host
export type { FakeCall, FakePortReply, FakePortReplySource, FakePorts } from './fake-ports.js';
export * from './fake-provider.js';

// Common parts
export { createFakeClock, type FakeClock } from './fake-clock.js';
export type { TestRunner } from './test-runner.js';
export { type InstanceBoardConformanceOptions, instanceBoardConformance } from './instance-board-conformance.js';
export * from './audit-log-conformance.js';
export * from './request-log-conformance.js';
export * from './tenant-key-store-conformance.js';
