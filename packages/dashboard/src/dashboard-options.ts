import type { AuthenticatedRequest, Gateway, Logger } from '@searchgate/core';
import type { Administration } from '@searchgate/core/administration';
import { type Clock, isClock, LIMIT_RESETS, ledgerIdSchema, parseOptions, systemClock } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { House } from './api/ask.js';
import type { Permission } from './scope.js';

/** @typeParam Host the framework's own request, which `authorize` reads. */
export interface DashboardOptions<Host = unknown> {
  /** The gateway that the page shows and asks. */
  readonly gateway: Pick<Gateway, 'checkStores' | 'handleAs' | 'models' | 'on' | 'status'>;
  /** The administration of the gateway's ledger, and of its keys unless the host authenticates callers. */
  readonly administration: Administration;
  /**
   * The permission of a user; `null` for none, which leads to a bare 404. Called for every request, including files, with the framework's own
   * request as `request.host`. An error is logged and answered with 500, as is a call longer than 10 s.
   */
  readonly authorize: (request: AuthenticatedRequest<Host>) => Permission | null | Promise<Permission | null>;
  /** The organization that pays for operators' calls in the playground. @default none; operators need a key */
  readonly house?: House | undefined;
  /**
   * The path of `POST /api/v1/answer` on the same site, such as `/search/api/v1/answer`; other calls go beside it.
   *
   * @default keys cannot be tried in the playground
   */
  readonly answerUrl?: string | undefined;
  /** The path of the host's logout on the same site; the page posts an empty form there. @default the page has no logout */
  readonly logoutUrl?: string | undefined;
  /** Gets errors that users must not see. @default process warnings, as in the gateway */
  readonly logger?: Logger | undefined;
  /** @default the system clock */
  readonly clock?: Clock | undefined;
}

const methods = <T>(names: readonly string[], expected: string): z.ZodType<T> =>
  z.custom<T>(
    (value) => names.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function'),
    expected,
  );

/** A path on the same site; no other site and no script. */
const path = z
  .string()
  .regex(/^(?![a-z][a-z0-9+.-]*:)(?!\/\/)(?!.*[\\\s])./i, 'a path on the same site, such as "/search/api/v1/answer"');

const house = z
  .strictObject({
    organizationId: ledgerIdSchema,
    limit: z.string().nullish(),
    limitReset: z.enum(LIMIT_RESETS).nullish(),
    allowedModels: z.array(z.string()).nullish(),
  })
  .refine(({ limit, limitReset }) => limit != null || limitReset == null, {
    path: ['limitReset'],
    error: 'a limit that it resets',
  });

const schema = z.strictObject(
  {
    gateway: methods<DashboardOptions['gateway']>(['checkStores', 'handleAs', 'models', 'on', 'status'], 'a gateway'),
    administration: methods<Administration>(['grant', 'statement', 'entries'], 'what createAdministration() returns'),
    authorize: z.custom<DashboardOptions['authorize']>(
      (value) => typeof value === 'function',
      'a function that says who may see the dashboard',
    ),
    house: house.optional(),
    answerUrl: path.optional(),
    logoutUrl: path.optional(),
    logger: methods<Logger>(['warn', 'error'], 'a logger').optional(),
    clock: z.custom<Clock>(isClock, 'a clock').default(systemClock),
  },
  'an object of options',
);

/** @throws ConfigurationError naming every invalid option. */
export function parseDashboardOptions(options: unknown): z.output<typeof schema> {
  return parseOptions(schema, options, 'createDashboard');
}
