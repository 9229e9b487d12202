// A host mounts a gateway right
export { coreHost } from './http/core-host.js';
export { fetchHost } from './http/fetch-host.js';
export { type NodeListener, nodeHost } from './http/node-host.js';
export type { StartHost } from './http/run-case.js';
export type { Exchange, HttpUnderTest, WireBody, WireRequest, WireResponse } from './http/wire.js';
export { type HttpCapabilities, httpConformance, type HttpConformanceOptions } from './http-conformance.js';

// What every suite needs
export { createFakeClock, type FakeClock } from './fake-clock.js';
export type { TestRunner } from './test-runner.js';
