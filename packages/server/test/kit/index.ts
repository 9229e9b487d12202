export { appSuite } from './app-suite.js';
export { startHeldUpstream } from './held-upstream.js';
export { RUN_SOURCE, type SpawnedServer, shortDocuments, spawnServer, temporaryFolder } from './spawn-server.js';
export { ask, SLOW_MS, standaloneSuite } from './standalone-suite.js';
