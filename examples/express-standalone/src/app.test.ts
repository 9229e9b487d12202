import { appSuite } from '@searchgate-examples/standalone-config/testing';
import { buildApp } from './app.js';

appSuite('Express', buildApp);
