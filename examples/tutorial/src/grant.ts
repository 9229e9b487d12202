import { formatUsd } from '@searchgate/core';
import { createAdministration } from '@searchgate/core/administration';
import { ledger } from './ledger.js';

const [amount = '', grantId = ''] = process.argv.slice(2);
const administration = createAdministration({ ledger });
await administration.grant({ organizationId: 'my-app', amount, grantId });
const { credits } = await ledger.organizationTotals('my-app');
console.log(`my-app has ${formatUsd(credits)} USD`);
await ledger.close();
