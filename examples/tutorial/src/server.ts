import { join } from 'node:path';
import { closeServer } from '@searchgate/core/node';
import { gatewayRouter } from '@searchgate/express';
import express from 'express';
import { gateway } from './gateway.js';
import { ledger } from './ledger.js';
import { login } from './login.js';

const app = express();
app.use(login);
// Else each user could read the balance of all.
app.use('/search/api/v1/credits', (_request, response) => void response.sendStatus(404));
app.use('/search', gatewayRouter(gateway));
app.use(express.static(join(import.meta.dirname, '../public')));

const port = Number(process.env['PORT'] ?? 3_000);
export const server = app.listen(port, '127.0.0.1', () => console.log(`http://localhost:${port}`));

async function stop(): Promise<void> {
  await closeServer(server, gateway.close());
  await ledger.close();
}
process.once('SIGTERM', () => void stop());
