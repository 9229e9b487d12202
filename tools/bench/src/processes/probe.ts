import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { serve } from './serve.js';

/** Loaded before every server, so that all are measured from inside in the same way. */
export interface ServerState {
  /** User and system time of the whole process since it started. */
  readonly cpuMicros: number;
  readonly rssBytes: number;
}

const RESOLUTION_MS = 1;
const NANOS_PER_MS = 1e6;

let histogram: IntervalHistogram | undefined;

const probe = {
  state(): ServerState {
    const { user, system } = process.cpuUsage();
    return { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() };
  },
  /** Heap and buffers, read right after a collection in the same turn: otherwise a busy server would make new garbage. */
  heldBytes(): number {
    // Memory of buffers is only released by the next collection.
    globalThis.gc?.();
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
  /** On request, since the monitor wakes the process a thousand times a second. */
  startEventLoopMonitor(): void {
    histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    histogram.enable();
  },
  /** @returns the 99th percentile of timer delays, in milliseconds. */
  stopEventLoopMonitor(): number {
    if (histogram === undefined) throw new Error('the event loop monitor was not started');
    histogram.disable();
    return Math.max(0, histogram.percentile(99) / NANOS_PER_MS - RESOLUTION_MS);
  },
};

export type Probe = typeof probe;
serve(probe);
