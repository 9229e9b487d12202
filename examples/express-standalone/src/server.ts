import { runService } from '@searchgate/server';
import { buildApp } from './app.js';

await runService(buildApp);
