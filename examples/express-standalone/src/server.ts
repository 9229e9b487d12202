import { runService } from '@searchgate-examples/standalone-config';
import { buildApp } from './app.js';

await runService(buildApp);
