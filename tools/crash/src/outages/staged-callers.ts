/** Callers give up then, and those of a server with several processes ask the next one. */
const CALLER_TIMEOUT_MS = 45_000;

export interface ServerOptions {
  /** Of each organization. */
  readonly credits: string;
  readonly organizations: number;
  readonly processes: number;
  readonly endpoint: 'answer' | 'search';
  /** Fallbacks and hedges, in the words of the configuration file. */
  readonly routing?: object;
}

export const secretOf = (organization: number) => `a-secret-of-organization-${organization}`;

/** What callers have got. */
export interface Replies {
  /** By status and reason: how many, and the slowest. */
  readonly byName: ReadonlyMap<string, { readonly count: number; readonly slowestMs: number }>;
  /** What all answers cost their callers, in nanodollars. */
  readonly paid: bigint;
  /** Resolves when no call is under way. */
  settled(): Promise<unknown>;
}

/** Callers of each process in turn, with an `Idempotency-Key` each. */
export function createCallers(urls: readonly string[], { organizations, endpoint }: ServerOptions) {
  const byName = new Map<string, { count: number; slowestMs: number }>();
  const underWay = new Set<Promise<void>>();
  let paid = 0n;

  async function post(url: string, call: number): Promise<string> {
    const reply = await fetch(`${url}/api/v1/${endpoint}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secretOf(call % organizations)}`,
        'content-type': 'application/json',
        'idempotency-key': `call-${call}`,
      },
      body: JSON.stringify({
        model: endpoint === 'answer' ? 'exa/answer' : 'exa/auto',
        query: `When does the shop open? (${call})`,
      }),
      signal: AbortSignal.timeout(CALLER_TIMEOUT_MS),
    });
    const { error, usage } = (await reply.json()) as { error?: { reason: string }; usage?: { cost: number } };
    // Exact, since at most nine decimals are printed.
    paid += BigInt(Math.round((usage?.cost ?? 0) * 1e9));
    return `${reply.status} ${error?.reason ?? ''}`.trim();
  }

  async function ask(call: number, tries = 1): Promise<void> {
    const beganMs = Date.now();
    const url = urls[(call + tries) % urls.length] ?? '';
    const outcome = await post(url, call).catch(() => 'no reply');
    const name = tries === 1 ? outcome : `asked again: ${outcome}`;
    const { count, slowestMs } = byName.get(name) ?? { count: 0, slowestMs: 0 };
    byName.set(name, { count: count + 1, slowestMs: Math.max(slowestMs, Date.now() - beganMs) });
    if (outcome === 'no reply' && tries < urls.length) await ask(call, tries + 1);
  }

  const replies: Replies = {
    byName,
    get paid() {
      return paid;
    },
    settled: () => Promise.all(underWay),
  };
  return {
    replies,
    ask(call: number): void {
      const asking = ask(call).finally(() => underWay.delete(asking));
      underWay.add(asking);
    },
  };
}
