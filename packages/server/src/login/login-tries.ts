import { clientGroup } from '@searchgate/core/ledger';

/** The window for counting tries. */
const WINDOW_MS = 60_000;
const MOST_PER_ADDRESS = 10;
/** Above the limit the oldest network is forgotten. */
const MAX_NETWORKS = 20_000;
const MOST_WAITING = 20;

interface Waiting {
  /** Whether the network has logged in before. */
  readonly isKnown: boolean;
  readonly earlierTries: number;
  begin(mayBegin: boolean): void;
}

/**
 * Admits tries of passwords: ten a minute of an address or IPv6 network of 64 bits, and one check at a time for all.
 *
 * Strangers can try more than a processor can check, each from a new network. So lots decide who begins, and who is sent away when too many wait: there the
 * odds rise with the tries of the network. Strangers do not keep a right password out for long. A network that has logged in comes first.
 *
 * @returns a function that counts a try of an address, and returns the function that runs its check in turn. `null` of the first: the address has no more
 * tries this minute. `null` of the second: too many others wait, and the try does not count.
 */
export function loginTries({ now = () => performance.now(), random = Math.random } = {}) {
  const counts = new Map<string, number>();
  const known = new Map<string, true>();
  const waiting: Waiting[] = [];
  let windowEndsMs = 0;
  let isBusy = false;

  /** Those who wait, by new lots: the first is the next to begin, the last the one to be sent away. */
  function drawn(isCrowded: boolean): Waiting[] {
    const lotOf = ({ isKnown, earlierTries }: Waiting) =>
      Number(isKnown) + random() ** (isCrowded ? 1 + earlierTries : 1);
    const lots = new Map(waiting.map((each) => [each, lotOf(each)]));
    return waiting.sort((one, other) => (lots.get(other) ?? 0) - (lots.get(one) ?? 0));
  }

  const turn = (of: Omit<Waiting, 'begin'>) =>
    new Promise<boolean>((begin) => {
      waiting.push({ ...of, begin });
      if (waiting.length > MOST_WAITING) drawn(true).pop()?.begin(false);
    });

  async function inTurn<T>(of: Omit<Waiting, 'begin'>, work: () => Promise<T>): Promise<T | null> {
    if (isBusy && !(await turn(of))) return null;
    isBusy = true;
    try {
      return await work();
    } finally {
      const next = drawn(false).shift();
      isBusy = next !== undefined;
      next?.begin(true);
    }
  }

  return (address: string) => {
    if (now() >= windowEndsMs) {
      counts.clear();
      windowEndsMs = now() + WINDOW_MS;
    }
    const network = clientGroup(address) ?? '';
    // Who has one IPv6 network often has all 65,536 of its 48 bits.
    const networks = new Set([network, network.replace(/:[^:]+::\/64$/, '::/48')]);
    const triesOf = (each: string) => counts.get(each) ?? 0;
    if (triesOf(network) >= MOST_PER_ADDRESS) return null;
    const earlierTries = Math.max(...[...networks].map(triesOf));
    for (const each of networks) remember(counts, each, triesOf(each) + 1);
    return async (isRight: () => Promise<boolean>): Promise<boolean | null> => {
      const result = await inTurn({ isKnown: known.has(network), earlierTries }, isRight);
      if (result === null) for (const each of networks) remember(counts, each, Math.max(0, triesOf(each) - 1));
      if (result === true) remember(known, network, true);
      return result;
    };
  };
}

function remember<T>(networks: Map<string, T>, network: string, value: T): void {
  networks.delete(network);
  networks.set(network, value);
  const [oldest = ''] = networks.keys();
  if (networks.size > MAX_NETWORKS) networks.delete(oldest);
}
