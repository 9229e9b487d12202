import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { serveCommands } from './commands.js';

/** Loaded before every measured server, the peer included, so that all are measured from inside by the same few lines. */
export interface ServerSample {
  /** User and system time of the whole process since it started. */
  readonly cpuMicros: number;
  readonly rssBytes: number;
  readonly heapUsedBytes: number;
}

const EVENT_LOOP_RESOLUTION_MS = 1;
const NANOS_PER_MS = 1e6;

let histogram: IntervalHistogram | undefined;

serveCommands({
  sample(): ServerSample {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    return { cpuMicros: user + system, rssBytes: rss, heapUsedBytes: heapUsed };
  },
  collectGarbage() {
    globalThis.gc?.();
  },
  /** The monitor wakes the process a thousand times a second, so it runs only while it is asked for. */
  startEventLoopMonitor() {
    histogram = monitorEventLoopDelay({ resolution: EVENT_LOOP_RESOLUTION_MS });
    histogram.enable();
  },
  /** @returns the 99th percentile of how much later than planned a timer ran, in milliseconds. */
  stopEventLoopMonitor(): number {
    if (histogram === undefined) throw new Error('the event loop monitor was not started');
    histogram.disable();
    return Math.max(0, histogram.percentile(99) / NANOS_PER_MS - EVENT_LOOP_RESOLUTION_MS);
  },
});
