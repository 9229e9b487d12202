import { expect, it } from 'vitest';
import { CALLS, everyPort } from '../../testing/test/every-port.js';
import type { Gateway } from '../src/index.js';
import { KEY, start } from './scripted-gateway.js';

const apiKey = KEY;
const PATHS = [
  ['search', ['/api/v1/search'], (gateway: Gateway) => gateway.search({ apiKey, ...CALLS.search })],
  ['extract', ['/api/v1/extract'], (gateway: Gateway) => gateway.extract({ apiKey, ...CALLS.extract })],
  ['rerank', ['/api/v1/rerank', '/api/v2/rerank'], (gateway: Gateway) => gateway.rerank({ apiKey, ...CALLS.rerank })],
  ['embeddings', ['/api/v1/embeddings'], (gateway: Gateway) => gateway.embed({ apiKey, ...CALLS.embeddings })],
] as const;

/** The paths that the gateway leaves to the host. */
async function leftBy({ handle }: Gateway): Promise<string[]> {
  const left: string[] = [];
  for (const path of PATHS.flatMap(([, paths]) => paths)) {
    const readBody = () => Promise.resolve({ parsed: {} });
    const request = { method: 'POST', path, query: '', header: () => undefined, readBody, disconnected: false };
    if ((await handle(request)) === undefined) left.push(path);
  }
  return left;
}

it.each(PATHS)(
  'the host may have the path of %s, whose models are then not listed as callable, and work in process',
  async (name, paths, call) => {
    const { gateway } = start([everyPort], { limit: null, endpoints: { [name]: false } });
    expect(await leftBy(gateway)).toEqual(paths);
    const callable = gateway.models({ callable: true }).map(({ id }) => id);
    const others = PATHS.map(([other]) => other).filter((other) => callable.includes(CALLS[other].model));
    expect(others).toEqual(PATHS.map(([other]) => other).filter((other) => other !== name));
    expect(await call(gateway)).toMatchObject({ model: CALLS[name].model, usage: { cost: 0.001 } });
    await gateway.close();
  },
);
