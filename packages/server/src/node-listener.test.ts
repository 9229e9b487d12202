import { nodeListener } from './node-listener.js';
import { appSuite } from './testing/app-suite.js';

appSuite('plain node:http', nodeListener);
