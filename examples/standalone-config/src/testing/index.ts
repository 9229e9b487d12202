export { appSuite } from './app-suite.js';
export { startHeldUpstream } from './held-upstream.js';
export { spawnServer } from './spawn-server.js';
export { ask, SLOW_MS, standaloneSuite } from './standalone-suite.js';
