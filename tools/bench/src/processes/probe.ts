import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { serve } from './serve.js';

/** Loaded before every measured server, so that all are measured from inside in the same way. */
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
  /** Heap and buffers, read in the same turn as they are collected: a server that goes on between the two makes new garbage. */
  heldBytes(): number {
    // The memory of buffers is counted off by the collection that follows theirs.
    globalThis.gc?.();
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
  /** The monitor wakes the process a thousand times a second, so it runs only on request. */
  startEventLoopMonitor(): void {
    histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    histogram.enable();
  },
  /** @returns the 99th percentile of how late a timer ran, in milliseconds. */
  stopEventLoopMonitor(): number {
    if (histogram === undefined) throw new Error('the event loop monitor was not started');
    histogram.disable();
    return Math.max(0, histogram.percentile(99) / NANOS_PER_MS - RESOLUTION_MS);
  },
};

export type Probe = typeof probe;
serve(probe);
