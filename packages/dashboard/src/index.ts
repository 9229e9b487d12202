import { buildDashboard, type Dashboard } from './create-dashboard.js';
import type { DashboardOptions } from './dashboard-options.js';

/**
 * Builds the page for operators of a gateway. Mount it like a gateway: `app.use('/search/admin', gatewayRouter(dashboard))`.
 *
 * @typeParam Host the framework's own request, which `authorize` reads.
 * @throws ConfigurationError naming every invalid option.
 */
export function createDashboard<Host = unknown>(options: DashboardOptions<Host>): Dashboard<Host> {
  return buildDashboard(options);
}

export type { House } from './api/ask.js';
export type { Dashboard } from './create-dashboard.js';
export type { DashboardOptions } from './dashboard-options.js';
export type { Permission } from './scope.js';
