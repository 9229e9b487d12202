import { HTTP_CASES, TRANSPORT_CASES } from './http/http-cases.js';
import { type ExchangeListener, runCase, type StartHost } from './http/run-case.js';
import type { TestRunner } from './test-runner.js';

/** The properties of the host under test. */
export interface HttpCapabilities {
  /** The host parses bodies before the gateway reads them. */
  readonly bodyParserInFront: boolean;
  /** Bodies arrive in pieces and callers can disconnect; `false` only for calls without a transport. */
  readonly sockets: boolean;
  /**
   * The gateway notices that its caller disconnects while it makes a whole answer. `false` over fetch, where the signal of a request whose body was read
   * is not informative. Default `true`.
   */
  readonly seesHangUps?: boolean | undefined;
}

/** The host under test, and the test runner. */
export interface HttpConformanceOptions extends TestRunner {
  /** Names the host in the tests, such as `Express 5, express.json() in front`. */
  readonly host: string;
  /** What the host can do. Rows that need more are skipped, or expect less. */
  readonly capabilities: HttpCapabilities;
  /**
   * `transport`: only the rows that a host can influence, about half of the table. For a further way to mount a host that has passed all rows, such as behind a
   * body parser.
   *
   * @default `all`
   */
  readonly rows?: 'all' | 'transport' | undefined;
  /**
   * Mounts the given gateway at the root of a new host, which answers all other requests with its own 404. Called once per row: each row
   * has its own gateway, with keys for every state, a memory ledger and a provider controlled by the query. `nodeHost`, `fetchHost` and
   * `coreHost` build a {@link HttpUnderTest} for most hosts.
   */
  readonly start: StartHost;
  /**
   * Called after a row has passed, with every answered request of the row and its response, including requests before and after the row's own. An error fails
   * the row. For your own checks, such as against an OpenAPI document.
   *
   * @default none
   */
  readonly onExchange?: ExchangeListener | undefined;
}

/**
 * The HTTP contract as one table of requests → status, headers, body, ledger and event, for any host with a mounted gateway.
 * Registers one test per applicable row.
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
