import type { AuthenticatedRequest, Gateway, Logger } from '@searchgate/core';
import type { Administration } from '@searchgate/core/administration';
import { type Clock, isClock, LIMIT_RESETS, ledgerIdSchema, parseOptions, systemClock } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { House } from './api/ask.js';
import type { Permission } from './scope.js';

/** @typeParam Host the framework's own request, as `authorize` reads it. */
export interface DashboardOptions<Host = unknown> {
  readonly gateway: Pick<Gateway, 'handleAs' | 'models' | 'on' | 'status'>;
  /** Of the ledger of the gateway, and of its keys unless the host authenticates callers. */
  readonly administration: Administration;
  /**
   * Who may be here, and what they may see and change; `null` for no one, who gets a bare 404. Called for every request, those for files included, with
   * the framework's own request as `request.host`. What it throws is logged, and is a 500. It has 10 s.
   */
  readonly authorize: (request: AuthenticatedRequest<Host>) => Permission | null | Promise<Permission | null>;
  /** Who pays for questions of operators in the playground. Default: they need a key of their own. */
  readonly house?: House | undefined;
  /** Where `POST /api/v1/answer` is, as a path on the same site, such as `/search/api/v1/answer`. Default: keys cannot be tried in the playground. */
  readonly answerUrl?: string | undefined;
  /** Where the login of the host ends, as a path on the same site, to which the page posts an empty form. Default: the page shows no way out. */
  readonly logoutUrl?: string | undefined;
  /** What no one on the page may see. Default: process warnings, as of the gateway. */
  readonly logger?: Logger | undefined;
  /** Default: the machine's own. */
  readonly clock?: Clock | undefined;
}

const methods = <T>(names: readonly string[], expected: string): z.ZodType<T> =>
  z.custom<T>(
    (value) => names.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function'),
    expected,
  );

/** No other site, and no script. */
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
    gateway: methods<DashboardOptions['gateway']>(['handleAs', 'models', 'on', 'status'], 'a gateway'),
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

/** @throws ConfigurationError naming every option that is wrong. */
export function parseDashboardOptions(options: unknown): z.output<typeof schema> {
  return parseOptions(schema, options, 'createDashboard');
}
