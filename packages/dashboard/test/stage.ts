import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type GatewayRequest,
  isRequestError,
  memoryApiKeys,
  memoryLedger,
} from '@searchgate/core';
import { type Administration, createAdministration } from '@searchgate/core/administration';
import { memoryAuditLog, memoryRequestLog, type RequestLog } from '@searchgate/core/ledger';
import type { BodyWriter } from '@searchgate/core/node';
import { createFakeClock, type FakeClock, fakeProvider } from '@searchgate/testing';
import { afterAll } from 'vitest';
import { buildDashboard, type Dashboard } from '../src/create-dashboard.js';
import type { DashboardOptions } from '../src/dashboard-options.js';
import type { Permission } from '../src/scope.js';
import { portsOf } from './ports-of.js';
import { memoryVault, withVault } from './with-vault.js';

export const NOW_MS = Date.UTC(2026, 10, 21, 12);
export const MODEL = 'handbook/answer';

/** The users of the tests, by the header `x-user`. */
export const USERS = {
  viewer: { role: 'viewer', organizations: 'all' },
  operator: { role: 'operator', organizations: 'all' },
  acmeOperator: { role: 'operator', organizations: ['acme'] },
  acmeReader: { role: 'reader', organizations: ['acme'] },
  acmeViewer: { role: 'viewer', organizations: ['acme'] },
  acmeTenant: { role: 'tenant', organizations: ['acme'] },
  globexViewer: { role: 'viewer', organizations: ['globex'] },
  twoOperator: { role: 'operator', organizations: ['globex', 'acme'] },
} as const satisfies Record<string, Permission>;

export type User = keyof typeof USERS;

const users = new Map<string | undefined, Permission>(Object.entries(USERS));
const userOf = (name: string | undefined) => users.get(name) ?? null;

const citations = [{ url: 'https://example.org/leave', title: 'Leave', snippet: 'Thirty.' }];

/** Answers in two parts; fails for the query "fail". */
const answering = fakeProvider({
  id: 'handbook',
  models: [{ name: 'Handbook', options: { includeDomains: { as: 'sites' } } }],
  replies: [
    ({ query }) => (query === 'fail' ? { failure: 'upstream_error' } : { text: ['Thirty', ' days [1].'], citations }),
  ],
});
const handbook = { ...answering, ...portsOf('handbook') };

export interface Stage {
  readonly gateway: Gateway;
  readonly administration: Administration;
  readonly ledger: ReturnType<typeof memoryLedger>;
  readonly log: RequestLog;
  readonly dashboard: Dashboard;
  readonly clock: FakeClock;
  /** Log entries of the dashboard. */
  readonly logged: unknown[];
  /** Calls the dashboard without a server. */
  call(user: User | null, method: string, path: string, request?: CallOptions): Promise<Reply>;
}

interface CallOptions {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly text?: string;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** `any`, since each test checks the shape. */
  readonly json: ReturnType<typeof JSON.parse>;
}

const folders: string[] = [];

/** A page like the output of Vite. */
function builtPage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-page-'));
  folders.push(folder);
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Searchgate</title>');
  writeFileSync(join(folder, 'assets', 'index-1a2b.js'), 'export {};');
  writeFileSync(join(folder, 'assets', 'index-1a2b.css'), 'body { margin: 0 }');
  return folder;
}

/** Removes the built pages after the tests of a file. */
export function removePages(): void {
  afterAll(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
}

/**
 * A gateway with one provider, a memory ledger with 10 USD for each of three organizations, and a dashboard over them.
 *
 * @param hasKeys `false` if the host authenticates callers.
 */
export function openStage(
  options: Partial<DashboardOptions> = {},
  hasKeys = true,
  capture?: NonNullable<GatewayOptions['requestLog']>['capture'],
): Stage {
  const clock = createFakeClock(NOW_MS);
  const ledger = memoryLedger({ clock, credits: { acme: '10', globex: '10', house: '10' } });
  const apiKeys = memoryApiKeys();
  const logger = { warn: () => undefined, error: () => undefined };
  const callers = hasKeys ? { apiKeys } : { authenticate: () => null };
  const log = memoryRequestLog();
  const requestLog = { log, capture };
  const gateway = createGateway({
    providers: [handbook],
    ledger,
    ...callers,
    clock,
    maxAttempts: 1,
    logger,
    requestLog,
  });
  const logs = { requestLog: log, auditLog: memoryAuditLog() };
  const plain = createAdministration({ ledger, ...(hasKeys && { apiKeys }), gateway, ...logs, clock });
  const administration = withVault(
    plain,
    memoryVault(['handbook'], () => clock.now()),
  );
  const logged: unknown[] = [];
  const note = ({ error }: Record<string, unknown>) => void logged.push(error);
  const dashboard = buildDashboard(
    {
      gateway,
      administration,
      authorize: (request) => {
        const user = request.header('x-user');
        const permission = userOf(user);
        return permission && { ...permission, actor: user };
      },
      house: { organizationId: 'house', limit: '1.00' },
      logger: { warn: note, error: note },
      clock,
      ...options,
    },
    builtPage(),
  );
  const call: Stage['call'] = async (user, method, path, request = {}) => {
    const response = await dashboard.handle(plainRequest(user, method, { path, ...request }));
    if (response === undefined) throw new Error('the dashboard answers everything');
    const { status, headers, body } = response;
    const text = isStream(body) ? await streamText(body) : Buffer.from(body ?? '').toString();
    const isJson = headers['content-type']?.startsWith('application/json') === true && text !== '';
    return { status, headers, text, json: isJson ? JSON.parse(text) : undefined };
  };
  return { gateway, administration, ledger, log, dashboard, clock, logged, call };
}

/** Headers of the page's changes. */
export const SAME_SITE = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };

export function plainRequest(
  user: User | null,
  method: string,
  { path, query = '', headers = {}, json, text }: CallOptions & { readonly path: string },
): GatewayRequest {
  const body = text ?? (json === undefined ? '' : JSON.stringify(json));
  const all: Readonly<Record<string, string | undefined>> = {
    ...(user !== null && { 'x-user': user }),
    ...(method !== 'GET' && method !== 'HEAD' && SAME_SITE),
    ...headers,
  };
  return {
    method,
    path,
    query,
    disconnected: false,
    header: (name) => all[name],
    readBody: () => Promise.resolve({ bytes: Buffer.from(body) }),
  };
}

type Body = { pipeTo(writer: BodyWriter): void };

function isStream(body: unknown): body is Body {
  return typeof body === 'object' && body !== null && 'pipeTo' in body;
}

/** The whole text of a finite stream. */
function streamText(body: Body): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    body.pipeTo({
      write: (part) => void (text += part),
      end: () => resolve(text),
      destroy: () => reject(new Error('the stream was cut')),
      bufferedBytes: 0,
      isClosed: false,
    });
  });
}

/** Waits until events are delivered. */
export const delivered = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Makes a key and asks with it. @returns the id of the key. */
export async function spend(stage: Stage, organizationId: string, times = 1, label = 'ci'): Promise<string> {
  const { secret, key } = await stage.administration.apiKeys.create({ organizationId, label });
  for (let time = 0; time < times; time += 1)
    await stage.gateway.answer({ apiKey: secret, model: MODEL, query: 'When?' });
  await delivered();
  return key.id;
}

/** Asks a question that fails at the provider. */
export async function failOnce({ gateway }: Stage, organizationId: string): Promise<void> {
  const caller = { id: 'failing', organizationId };
  const failed = await gateway.answer({ apiKey: caller, model: MODEL, query: 'fail' }).catch((error: unknown) => error);
  if (!isRequestError(failed)) throw new Error('the provider should have failed');
  await delivered();
}
