import { pathToFileURL } from 'node:url';
import { announceReady } from '../processes/serve.js';

/** Runs the peer's own start script, which reads its port from `--port=` and listens once it is loaded. */
const [port = '', , script = ''] = process.argv.slice(2);
await import(pathToFileURL(script).href);
announceReady(Number(port.slice('--port='.length)));
