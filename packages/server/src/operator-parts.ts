import { createDashboard } from '@searchgate/dashboard';
import { gatewayMetrics } from '@searchgate/prometheus';
import type { BuildAdminPage } from './admin-page.js';
import type { ServiceOptions } from './service.js';

/** The page for operators. Their questions are paid for by an organization of the service, where one was named. */
const dashboardPage: BuildAdminPage = ({ organizationId, ...host }) =>
  createDashboard({ ...host, ...(organizationId === null ? {} : { house: { organizationId } }) });

/** What every service has for its operators. */
export const OPERATOR_PARTS = {
  adminPage: dashboardPage,
  metrics: gatewayMetrics,
} as const satisfies ServiceOptions;
