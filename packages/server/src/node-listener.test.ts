import { appSuite } from '../test/kit/app-suite.js';
import { nodeListener } from './node-listener.js';

appSuite('plain node:http', nodeListener);
