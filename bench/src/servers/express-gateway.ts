import { gatewayRouter } from '@searchgate/express';
import express from 'express';
import { fullGateway } from './full-gateway.js';
import { announceWhenListening } from './server-settings.js';

const app = express();
app.use(gatewayRouter(fullGateway()));
announceWhenListening(app.listen(0, '127.0.0.1'));
