export { appSuite } from './app-suite.js';
export { bundledProgram } from './bundled-program.js';
export { startHeldUpstream } from './held-upstream.js';
export { type SpawnedServer, shortDocuments, spawnFromSource, spawnServer, temporaryFolder } from './spawn-server.js';
export { ask, CURL_NOTE, SLOW_MS, standaloneSuite } from './standalone-suite.js';
