/** A server with a small page for operators and small metrics, as other packages may provide them. */
import type { BuildAdminPage } from '../../src/admin-page.js';
import { runService } from '../../src/run-service.js';

const adminPage: BuildAdminPage = ({ authorize, administration, gateway }) => ({
  async handle(request) {
    if (authorize(request) === null) return { status: 404, headers: { 'content-length': '0' }, body: '' };
    const { items } = await administration.organizations.list();
    const body = JSON.stringify({
      path: request.path,
      organizations: items.map(({ id }) => id),
      inFlight: gateway.status().inFlight,
    });
    return { status: 200, headers: { 'content-length': String(Buffer.byteLength(body)) }, body };
  },
  close: () => undefined,
});

await runService(process.env, {
  adminPage,
  metrics(gateway) {
    let requests = 0;
    gateway.on(({ type }) => {
      if (type === 'request_finished') requests += 1;
    });
    return { handler: (_request, response) => void response.end(`requests ${requests}\n`) };
  },
});
