import { runService } from '@searchgate/server';
import { buildApp } from './app.js';

await runService((service) => {
  const handle = buildApp(service).callback();
  return (request, response) => void handle(request, response);
});
