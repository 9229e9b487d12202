import { clientGroup } from '@searchgate/core/ledger';

/** Admits tries of passwords: ten a minute of an address or IPv6 network of 64 bits, and one check at a time for all. */
export interface LoginTries {
  /** Counts a try. @returns `null` where its address has no more this minute. */
  begin(address: string): LoginTry | null;
}

interface LoginTry {
  /** Runs the check when it is its turn. @returns `null` when too many others wait: the try does not count. */
  check(isRight: () => Promise<boolean>): Promise<boolean | null>;
}

export interface LoginTriesOptions {
  /** In ms, monotonic. */
  readonly now?: () => number;
  /** At least 0, below 1. */
  readonly random?: () => number;
}

/** The window for counting tries. */
const WINDOW_MS = 60_000;
const MOST_PER_ADDRESS = 10;
/** Above these limits the oldest network is forgotten. */
const MAX_NETWORKS = 20_000;
const MAX_KNOWN = 1_000;
const MOST_WAITING = 20;

interface Waiting {
  /** Whether the network has logged in before. */
  readonly isKnown: boolean;
  readonly earlierTries: number;
  begin(mayBegin: boolean): void;
}

/**
 * Strangers can try more than a processor can check, each from a new network. So lots decide who begins, and who is sent away when too many wait: there the
 * odds rise with the tries of the network. Strangers do not keep a right password out for long. A network that has logged in comes first.
 */
export function loginTries({
  now = () => performance.now(),
  random = Math.random,
}: LoginTriesOptions = {}): LoginTries {
  const counts = new Map<string, number>();
  const known = new Set<string>();
  const waiting: Waiting[] = [];
  let windowEndsMs = 0;
  let isBusy = false;

  const toBegin = ({ isKnown }: Waiting) => Number(isKnown) + random();
  /** The more tries, the lower. */
  const toStay = ({ isKnown, earlierTries }: Waiting) => Number(isKnown) + random() ** (1 + earlierTries);

  /** @returns the number of earlier tries. */
  function count(network: string, change: 1 | -1): number {
    const earlier = counts.get(network) ?? 0;
    counts.delete(network);
    counts.set(network, Math.max(0, earlier + change));
    forgetOldest(counts, MAX_NETWORKS);
    return earlier;
  }

  function turn(of: Omit<Waiting, 'begin'>): Promise<boolean> {
    return new Promise((begin) => {
      waiting.push({ ...of, begin });
      if (waiting.length > MOST_WAITING) drawn(waiting, toStay).pop()?.begin(false);
    });
  }

  async function oneAtATime<T>(of: Omit<Waiting, 'begin'>, work: () => Promise<T>): Promise<T | null> {
    if (isBusy && !(await turn(of))) return null;
    isBusy = true;
    try {
      return await work();
    } finally {
      const next = drawn(waiting, toBegin).shift();
      isBusy = next !== undefined;
      next?.begin(true);
    }
  }

  return {
    begin(address) {
      if (now() >= windowEndsMs) {
        counts.clear();
        windowEndsMs = now() + WINDOW_MS;
      }
      const network = clientGroup(address) ?? '';
      if ((counts.get(network) ?? 0) >= MOST_PER_ADDRESS) return null;
      // Who has one IPv6 network often has all 65,536 of its 48 bits.
      const wide = network.replace(/:[^:]+::\/64$/, '::/48');
      const networks = wide === network ? [network] : [network, wide];
      const earlierTries = Math.max(...networks.map((each) => count(each, 1)));
      return {
        async check(isRight) {
          const result = await oneAtATime({ isKnown: known.has(network), earlierTries }, isRight);
          if (result === null) for (const each of networks) count(each, -1);
          if (result === true) {
            known.delete(network);
            forgetOldest(known.add(network), MAX_KNOWN);
          }
          return result;
        },
      };
    },
  };
}

/** Draws a lot for each element, and sorts by them, the highest first. */
function drawn(waiting: Waiting[], lotOf: (each: Waiting) => number): Waiting[] {
  const lots = new Map(waiting.map((each) => [each, lotOf(each)]));
  return waiting.sort((one, other) => (lots.get(other) ?? 0) - (lots.get(one) ?? 0));
}

function forgetOldest(
  networks: Pick<Set<string>, 'size' | 'delete'> & { keys(): Iterable<string> },
  most: number,
): void {
  const [oldest] = networks.keys();
  if (networks.size > most && oldest !== undefined) networks.delete(oldest);
}
