import { HTTP_CASES, TRANSPORT_CASES } from './http/http-cases.js';
import { type ExchangeListener, runCase, type StartHost } from './http/run-case.js';
import type { TestRunner } from './test-runner.js';

/** What the host under test is like. */
export interface HttpCapabilities {
  /** A body parser of the host reads bodies before the gateway does. */
  readonly bodyParserInFront: boolean;
  /** Bodies arrive piece by piece and callers can go away; `false` only for calls without any transport. */
  readonly sockets: boolean;
  /**
   * The gateway hears that its caller has gone while it makes a whole answer. `false` over fetch, where the signal of a request whose body has been read
   * tells nothing. Default `true`.
   */
  readonly seesHangUps?: boolean | undefined;
}

export interface HttpConformanceOptions extends TestRunner {
  /** Names the host in the tests, such as `Express 5, express.json() in front`. */
  readonly host: string;
  readonly capabilities: HttpCapabilities;
  /**
   * `transport`: only the rows in which a host can make a difference, about half of the table. For one more way to mount what has passed all rows in
   * another way, such as behind a body parser. Default `all`.
   */
  readonly rows?: 'all' | 'transport' | undefined;
  /**
   * Mounts the given gateway at the root of a new host, which answers everything else with a 404 of its own. Called once per row: each
   * row has its own gateway, with keys for every state, a memory ledger and a provider that does what the query says. `nodeHost`, `fetchHost`
   * and `coreHost` make a {@link HttpUnderTest} of what most hosts have.
   */
  readonly start: StartHost;
  /**
   * Gets every request that was answered, with its response, once its row has passed; also those that a row sends before or after its own. What it throws
   * fails the row. For checks of your own, such as against a description of the interface. Default: none.
   */
  readonly onExchange?: ExchangeListener | undefined;
}

/**
 * The HTTP contract as one table of requests → status, headers, body, ledger and event, run against any host a gateway is mounted in.
 * Registers one test per row; rows that do not apply to the host are not registered.
 */
export function httpConformance(options: HttpConformanceOptions): void {
  const { describe, it, host, capabilities, rows = 'all' } = options;
  describe(`HTTP contract in ${host}`, () => {
    for (const row of rows === 'all' ? HTTP_CASES : TRANSPORT_CASES) {
      const hears = capabilities.seesHangUps === false ? (row.unseen ?? row.expect) : row.expect;
      const expected = capabilities.bodyParserInFront ? (row.behindParser?.expect ?? hears) : hears;
      if (expected === 'not applicable' || (row.needsSockets === true && !capabilities.sockets)) continue;
      it(row.name, () => runCase(row, expected, options));
    }
  });
}
