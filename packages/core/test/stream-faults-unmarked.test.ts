import { afterAll, beforeAll } from 'vitest';
import { deliveredStreams } from './stream-faults/delivered-streams.js';
import { openStage, type Stage } from './stream-faults/stage.js';

// The other half of stream-faults.test.ts: two files can run in parallel.

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

deliveredStreams(false, () => stage);
