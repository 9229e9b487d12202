/** What one drive of the load generator found. */
export interface Drive {
  readonly completed: number;
  /** Replies with another status than expected, by status; 0 stands for broken connections. */
  readonly unexpected: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** 99th percentile of how late the generator itself sent, in open loop. Already part of the latencies. */
  readonly sendLagP99Ms: number;
  /** Share of one core that the load generator took. */
  readonly generatorCpu: number;
}

const MICROS_PER_SECOND = 1e6;

/** Counts the replies of one drive. */
export class Tally {
  readonly #expectedStatus: number;
  readonly #latencies: number[] = [];
  readonly #sendLags: number[] = [];
  readonly #unexpected: Record<string, number> = {};
  readonly #startedMs = performance.now();
  readonly #cpuAtStart = process.cpuUsage();

  constructor(expectedStatus: number) {
    this.#expectedStatus = expectedStatus;
  }

  reply(status: number, latencyMs: number): void {
    this.#latencies.push(latencyMs);
    if (status !== this.#expectedStatus) this.#unexpected[status] = (this.#unexpected[status] ?? 0) + 1;
  }

  sent(lagMs: number): void {
    this.#sendLags.push(lagMs);
  }

  finish(): Drive {
    const seconds = (performance.now() - this.#startedMs) / 1_000;
    const cpu = process.cpuUsage(this.#cpuAtStart);
    const latencies = Float64Array.from(this.#latencies).sort();
    return {
      completed: latencies.length,
      unexpected: this.#unexpected,
      seconds,
      p50Ms: percentile(latencies, 50),
      p99Ms: percentile(latencies, 99),
      sendLagP99Ms: percentile(Float64Array.from(this.#sendLags).sort(), 99),
      generatorCpu: (cpu.user + cpu.system) / MICROS_PER_SECOND / seconds,
    };
  }
}

function percentile(sorted: Float64Array, percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}
