import type { IncomingMessage, ServerResponse } from 'node:http';
import { models } from './server-settings.js';

const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': models.body.length,
  etag: models.etag,
};
const notModifiedHeaders = { etag: models.etag };

/** The fastest a host can serve a list: a prebuilt buffer written straight to node's response. */
export function writeModels(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers['if-none-match'] === models.etag) response.writeHead(304, notModifiedHeaders).end();
  else response.writeHead(200, headers).end(models.body);
}
