import type { ProviderEvent, RequestLine } from '../../../src/api/contract.js';

/** Lines that are kept, of the requests and of the providers each. */
export const MAX_LINES = 500;

/** From one view to the next the connection is kept: what comes then is not lost. */
const LINGER_MS = 5_000;

export interface LogSnapshot {
  /** Newest first. */
  readonly requests: readonly RequestLine[];
  /** Newest first. */
  readonly providers: readonly ProviderEvent[];
  /** Lines that came faster than the server could send them. */
  readonly dropped: number;
  /** `closed`: the server has ended it for good, as after a sign-out. */
  readonly connection: 'connecting' | 'open' | 'closed';
}

const EMPTY: LogSnapshot = { requests: [], providers: [], dropped: 0, connection: 'connecting' };

/** The requests of the gateway since the page was opened, while a view looks at them. Views share one connection, and what it has brought. */
class RequestLog {
  private snapshot = EMPTY;
  private source: EventSource | undefined;
  private readonly listeners = new Set<(snapshot: LogSnapshot) => void>();
  private newRequests: RequestLine[] = [];
  private newProviders: ProviderEvent[] = [];
  private frame = 0;

  /** Connects with the first listener. @returns what ends it; soon after the last one the connection is closed. */
  listen(listener: (snapshot: LogSnapshot) => void): () => void {
    this.listeners.add(listener);
    if (this.source === undefined) this.connect();
    listener(this.snapshot);
    return () => {
      this.listeners.delete(listener);
      setTimeout(() => this.listeners.size === 0 && this.disconnect(), LINGER_MS);
    };
  }

  connect(): void {
    this.disconnect();
    const source = new EventSource('api/events');
    this.source = source;
    this.publish({ connection: 'connecting' });
    source.addEventListener('open', () => this.publish({ connection: 'open' }));
    source.addEventListener('error', () =>
      this.publish({ connection: source.readyState === EventSource.CLOSED ? 'closed' : 'connecting' }),
    );
    source.addEventListener('request', ({ data }) => {
      this.newRequests.push(JSON.parse(data as string) as RequestLine);
      this.schedule();
    });
    source.addEventListener('dropped', ({ data }) => {
      const { count } = JSON.parse(data as string) as { readonly count: number };
      this.publish({ dropped: this.snapshot.dropped + count });
    });
    source.addEventListener('provider', ({ data }) => {
      this.newProviders.push(JSON.parse(data as string) as ProviderEvent);
      this.schedule();
    });
  }

  private disconnect(): void {
    this.source?.close();
    this.source = undefined;
  }

  /** However many lines come, the page changes once a frame. */
  private schedule(): void {
    // A page in the background has no frames.
    if (this.newRequests.length + this.newProviders.length >= MAX_LINES) this.flush();
    else if (this.frame === 0) this.frame = requestAnimationFrame(() => this.flush());
  }

  private flush(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { requests, providers } = this.snapshot;
    this.publish({
      requests: [...this.newRequests.reverse(), ...requests].slice(0, MAX_LINES),
      providers: [...this.newProviders.reverse(), ...providers].slice(0, MAX_LINES),
    });
    this.newRequests = [];
    this.newProviders = [];
  }

  private publish(change: Partial<LogSnapshot>): void {
    this.snapshot = { ...this.snapshot, ...change };
    for (const listener of this.listeners) listener(this.snapshot);
  }
}

export const requestLog = new RequestLog();
