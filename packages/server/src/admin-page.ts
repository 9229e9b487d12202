import type { Gateway, GatewayRequest, MountableGateway } from '@searchgate/core';
import { type Administration, createAdministration } from '@searchgate/core/administration';
import type { OpenLedger } from './ledger/open-ledger.js';
import { type AdminPassword, adminPassword } from './login/admin-password.js';
import { createLogin, type Login, type LoginLog, type LoginOptions } from './login/login.js';
import { redirect } from './login/login-responses.js';

/** What a page for operators gets from the server. */
export interface AdminPageHost {
  readonly gateway: Gateway;
  readonly administration: Administration;
  readonly authorize: Login['authorize'];
  /** Where callers ask, and where a form ends the login. */
  readonly answerUrl: string;
  readonly logoutUrl: string;
  /** Who pays for questions of operators; `null` for no one. */
  readonly organizationId: string | null;
  readonly logger: LoginLog & { error(fields: object, message: string): void };
}

/** Builds the page for operators, such as `createDashboard` of `@searchgate/dashboard`. It is mounted at `/admin`, behind a password. */
export type BuildAdminPage = (host: AdminPageHost) => MountableGateway & { close(): void };

/** The page as the server has mounted it. */
export interface AdminPage extends MountableGateway {
  /** The password where it was made just now, to be shown once. */
  readonly madePassword: AdminPassword['made'];
  close(): void;
}

export interface AdminPageDeps {
  readonly gateway: Gateway;
  readonly opened: OpenLedger;
  readonly log: AdminPageHost['logger'];
  readonly addressOf: LoginOptions['addressOf'];
  readonly organizationId: string | null;
  /** Of the operator's own; `null` for a password that is made. */
  readonly passwordHash: string | null;
  /** Where the hash of one that is made is kept; `null` where nothing is kept. */
  readonly folder: string | null;
}

/** Builds the page behind its login. @throws ConfigurationError when the password cannot be read. */
export async function openAdminPage(build: BuildAdminPage, deps: AdminPageDeps): Promise<AdminPage> {
  const { gateway, opened, log, organizationId, addressOf } = deps;
  const { hash, made } = adminPassword(deps.passwordHash, deps.folder);
  if (organizationId !== null && (await opened.apiKeys.findOrganization(organizationId)) === undefined) {
    // It may be created later, by the admin command.
    log.warn(
      { organizationId },
      'the organization that pays for questions of operators is not known: create it, or name another as SEARCHGATE_ADMIN_ORGANIZATION',
    );
  }
  const login = createLogin({ passwordHash: hash, addressOf, log });
  const page = build({
    gateway,
    administration: createAdministration({ ledger: opened.ledger, apiKeys: opened.apiKeys, gateway }),
    authorize: login.authorize,
    answerUrl: '../api/v1/answer',
    logoutUrl: './logout',
    organizationId,
    logger: log,
  });

  return {
    madePassword: made,
    async handle(request) {
      const response = await login.handle(request);
      if (response !== undefined) return response;
      return login.authorize(request) === null && isPageItself(request)
        ? redirect(loginOf(request))
        : page.handle(request);
    },
    close: () => page.close(),
  };
}

/** Every other path below is a bare 404 for who has not logged in. */
function isPageItself({ method, path }: GatewayRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && (path === '' || path === '/');
}

function loginOf({ path }: GatewayRequest): string {
  return path === '' ? './admin/login' : './login';
}
