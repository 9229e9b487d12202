import type { Gateway, GatewayRequest, GatewayResponse, MountableGateway } from '@searchgate/core';
import { type Administration, createAdministration } from '@searchgate/core/administration';
import type { OpenLedger } from './ledger/open-ledger.js';
import { type AdminPassword, adminPassword } from './login/admin-password.js';
import { createLogin, type Login, type LoginLog, type LoginOptions } from './login/login.js';
import { redirect } from './login/login-responses.js';
import { type ManagementToken, permissionOfToken } from './login/management-tokens.js';
import { SHARED_NAME } from './login/operators.js';
import { hashRandomPassword, randomPassword } from './login/password.js';
import type { WatchedOperators } from './login/watch-operators.js';
import { tenantKeysOf } from './tenant-key-vault.js';

/** The parts of the server that a page for operators uses. */
export interface AdminPageHost {
  /** The same object after a reload of the file. */
  readonly gateway: Gateway;
  /** Of the server's ledger and its keys. */
  readonly administration: Administration;
  /** The permission of a request, by its session or its management token; `null` for none. */
  readonly authorize: Login['authorize'];
  /** The URL of the answer endpoint, and the URL that ends the login. */
  readonly answerUrl: string;
  /** Ends the session; for a form. */
  readonly logoutUrl: string;
  /** The organization that pays for operators' questions; `null` for none. */
  readonly organizationId: string | null;
  /** Gets logins, and errors that operators must not see. */
  readonly logger: LoginLog & { error(fields: object, message: string): void };
}

/** Builds the page for operators, such as `createDashboard` of `@searchgate/dashboard`. The server mounts the page at `/admin`, behind a password. */
export type BuildAdminPage = (host: AdminPageHost) => MountableGateway & {
  /** Called when the server stops. */
  close(): void;
};

/** The mounted page. */
export interface AdminPage extends MountableGateway {
  /** A newly made password, to be shown once; else `null`. */
  readonly madePassword: AdminPassword['made'];
  close(): void;
}

export interface AdminPageDeps {
  readonly gateway: Gateway;
  readonly opened: OpenLedger;
  readonly log: AdminPageHost['logger'];
  readonly trustProxy: LoginOptions['trustProxy'];
  /** The tokens of the file in use. */
  readonly managementTokens: () => readonly ManagementToken[];
  readonly operators: WatchedOperators;
  readonly organizationId: string | null;
  /** Hash of the operators' own shared password; `null` to make one, which works as long as there are no `operators`. */
  readonly passwordHash: string | null;
  /** Stores the hash of a made password; `null` for no storage. */
  readonly folder: string | null;
}

/** Builds the page behind its login. @throws ConfigurationError when the password cannot be read. */
export async function openAdminPage(build: BuildAdminPage, deps: AdminPageDeps): Promise<AdminPage> {
  const { gateway, opened, log, organizationId, trustProxy } = deps;
  const { accounts, made } = accountsOf(deps);
  if (organizationId !== null && (await opened.apiKeys.findOrganization(organizationId)) === undefined) {
    // The admin command may create the organization later.
    log.warn(
      { organizationId },
      'the organization that pays for operator questions does not exist: create it, or name another in SEARCHGATE_ADMIN_ORGANIZATION',
    );
  }
  const login = createLogin({ accounts, trustProxy, log });
  const tokenOf = (request: Pick<GatewayRequest, 'header'>) =>
    permissionOfToken(request, deps.managementTokens(), Date.now());
  const authorize: Login['authorize'] = (request) => {
    const ofToken = tokenOf(request);
    return ofToken === undefined ? login.authorize(request) : ofToken;
  };
  const page = build({
    gateway,
    administration: createAdministration({
      ledger: opened.ledger,
      apiKeys: opened.apiKeys,
      requestLog: opened.requests,
      auditLog: opened.changes,
      tenantKeys: tenantKeysOf(opened.vault),
      gateway,
    }),
    authorize,
    answerUrl: '../api/v1/answer',
    logoutUrl: './logout',
    organizationId,
    logger: log,
  });

  return {
    madePassword: made,
    async handle(request) {
      if (tokenOf(request) === null) return unknownToken();
      const response = await login.handle(request);
      if (response !== undefined) return response;
      return authorize(request) === null && isPageItself(request) ? redirect(loginOf(request)) : page.handle(request);
    },
    close() {
      deps.operators.stop();
      page.close();
    },
  };
}

/** Who may log in. A made password is off where the file has `operators`, also an empty list: nobody remembers who has seen it. */
function accountsOf({ operators, passwordHash, folder }: AdminPageDeps) {
  const isOff = () => passwordHash === null && operators.current() !== undefined;
  // Sessions are signed by the hash: without a password it has to be a secret too.
  const { hash, made } = isOff()
    ? { hash: hashRandomPassword(randomPassword()), made: null }
    : adminPassword(passwordHash, folder);
  const shared = { name: SHARED_NAME, passwordHash: hash, role: 'operator', organizations: 'all' } as const;
  return { made, accounts: () => [...(operators.current() ?? []), ...(isOff() ? [] : [shared])] };
}

function unknownToken(): GatewayResponse {
  const message = 'The management token is unknown, or has expired.';
  const body = JSON.stringify({ error: { message, field: null } });
  const headers = { 'content-type': 'application/json; charset=utf-8', 'www-authenticate': 'Bearer' };
  return { status: 401, headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body };
}

/** Without a login, every path below the page is a bare 404. */
function isPageItself({ method, path }: GatewayRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && (path === '' || path === '/');
}

function loginOf({ path }: GatewayRequest): string {
  return path === '' ? './admin/login' : './login';
}
