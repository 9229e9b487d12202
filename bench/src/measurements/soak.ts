import { driveServer } from '../drive.js';
import type { OwnTargetId, Stage } from '../stage.js';
import { SATURATING_CONNECTIONS } from './saturated.js';

const REQUESTS = 1_000_000;
const STEP_MS = 5_000;
const MOST_STEPS = 400;

/** Memory over a long run, sampled every few seconds. */
export interface Soak {
  readonly id: OwnTargetId;
  readonly samples: readonly { readonly requests: number; readonly rssBytes: number }[];
}

/** A million requests against a fresh server. */
export async function measureSoak(stage: Stage, id: OwnTargetId): Promise<Soak> {
  const server = await stage.startServer(id);
  const samples: { requests: number; rssBytes: number }[] = [];
  let requests = 0;
  try {
    for (let step = 0; step < MOST_STEPS && requests < REQUESTS; step += 1) {
      const load = { connections: SATURATING_CONNECTIONS, settleMs: 0, durationMs: STEP_MS, reachesUpstream: true };
      const { completed, rssBytes } = await driveServer(stage, server, load);
      requests += completed;
      samples.push({ requests, rssBytes });
    }
  } finally {
    await server.child.stop();
  }
  return { id, samples };
}
