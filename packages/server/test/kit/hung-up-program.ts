/** A server that gets SIGHUP while it starts. */
import { nodeListener } from '../../src/node-listener.js';
import { runService } from '../../src/run-service.js';

await runService(process.env, {
  buildHandler(service) {
    process.kill(process.pid, 'SIGHUP');
    return nodeListener(service);
  },
});
