import { appSuite } from '@searchgate/server/testing';
import { buildApp } from './app.js';

appSuite('Express', buildApp);
