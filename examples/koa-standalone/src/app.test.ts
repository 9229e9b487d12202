import { appSuite } from '@searchgate/server/testing';
import { buildApp } from './app.js';

appSuite('Koa', (service) => {
  const handle = buildApp(service).callback();
  return (request, response) => void handle(request, response);
});
