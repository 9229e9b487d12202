import type { ProviderEvent, RequestLine } from '../../../src/api/contract.js';

/** Limit of kept lines, for requests and for providers. */
export const MAX_LINES = 500;

/** Keeps the connection while the view changes, so that no event is lost. */
const LINGER_MS = 5_000;

export interface LogSnapshot {
  /** Newest first. */
  readonly requests: readonly RequestLine[];
  /** Newest first. */
  readonly providers: readonly ProviderEvent[];
  /** Number of lines that came too fast for the server to send. */
  readonly dropped: number;
  /** `closed`: the server has ended the connection for good, as after a sign-out. */
  readonly connection: 'connecting' | 'open' | 'closed';
}

const EMPTY: LogSnapshot = { requests: [], providers: [], dropped: 0, connection: 'connecting' };

/** The gateway's requests while a view shows them. All views share one connection and one log. */
class RequestLog {
  private snapshot = EMPTY;
  private source: EventSource | undefined;
  private readonly listeners = new Set<(snapshot: LogSnapshot) => void>();
  private newRequests: RequestLine[] = [];
  private newProviders: ProviderEvent[] = [];
  private frame = 0;

  /** Connects with the first listener. @returns a function that stops listening; after the last listener the connection closes with a delay. */
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
    const source = new EventSource('api/v1/events');
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

  /** Updates the page once per frame, however many lines come. */
  private schedule(): void {
    // A page in the background gets no frames.
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
