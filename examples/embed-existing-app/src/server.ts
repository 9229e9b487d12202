import { randomBytes } from 'node:crypto';
import { memoryLedger } from '@searchgate/core';
import { closeServer } from '@searchgate/core/node';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { buildApp } from './app.js';
import { createSearchGateway } from './search-gateway.js';
import { createUsers } from './users.js';

const port = Number(process.env['PORT'] ?? 3_001);
const token = randomBytes(24).toString('base64url');
const password = randomBytes(9).toString('base64url');

const users = createUsers([
  { id: '1', name: 'alice', team: 'shop', plan: 'full', password, token },
  { id: '2', name: 'bob', team: 'shop', plan: 'trial', password },
]);
const ledger = memoryLedger({ credits: { shop: '10.00' } });
const gateway = createSearchGateway({ providers: [localDocs()], ledger, users });

const server = buildApp({ users, gateway }).listen(port, '127.0.0.1', (error) => {
  if (error !== undefined) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`;
  process.stdout.write(
    `The application listens on ${url}. Its users are alice (everything) and bob (a trial), both with the password ${password}

  curl -s -c cookies.txt ${url}/login -H 'Content-Type: application/json' -d '{"name":"alice","password":"${password}"}'
  curl -s -b cookies.txt ${url}/search/api/v1/answer -H 'Content-Type: application/json' -d '{"model":"local/docs","query":"How do I mount it in a Koa application?"}'
  curl -s ${url}/search/api/v1/credits -H 'Authorization: Bearer ${token}'
`,
  );
});

process.once('SIGTERM', () => {
  void closeServer(server, gateway.close());
});
