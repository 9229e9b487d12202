import { gatewayRouter } from '@searchgate/koa';
import Koa from 'koa';
import { fullGateway } from './full-gateway.js';
import { announceWhenListening } from './server-settings.js';

const app = new Koa();
app.use(gatewayRouter(fullGateway()));
announceWhenListening(app.listen(0, '127.0.0.1'));
