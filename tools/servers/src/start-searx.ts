import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { endWithUs } from './end-with-us.js';
import { freePort } from './free-port.js';

/** An engine that asks a server of the test: `GET <url>?q=…`, answered by `{ results: [{ url, title, content }] }`. */
export interface SearxEngine {
  readonly name: string;
  readonly url: string;
  readonly category: string;
}

/** A temporary searx, the program that SearXNG came from. */
export interface Searx {
  /** Without a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Why there is no searx; the reason for skipping tests. */
export interface SearxUnavailable {
  readonly reason: string;
}

/** Where Debian keeps its pages, which the program reads at its start. */
const PAGES = '/usr/share/python3-searx';
const PORT_ATTEMPTS = 5;

/** Starts the searx installed on this machine, on a free port of 127.0.0.1. It ends with this process. Without searx the reason is returned. */
export async function startSearx(engines: readonly SearxEngine[]): Promise<Searx | SearxUnavailable> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const binary = folders.map((folder) => join(folder, 'searx-run')).find((path) => existsSync(path));
  if (binary === undefined || !existsSync(PAGES))
    return { reason: 'no searx: there is no searx-run on this machine (Debian: apt-get install searx)' };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(binary, engines, await freePort());
    } catch (error) {
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function launch(binary: string, engines: readonly SearxEngine[], port: number): Promise<Searx> {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-searx-'));
  const file = join(folder, 'settings.yml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(settings(engines, port)));
  const env = { ...process.env, SEARX_SETTINGS_PATH: file };
  const child = spawn(binary, [], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const ended = once(child, 'exit');
  const dismiss = child.pid === undefined ? () => {} : endWithUs(child.pid, folder);
  async function stop(): Promise<void> {
    dismiss();
    child.ref();
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    await ready(child);
  } catch (error) {
    await stop();
    throw error;
  }
  child.unref();
  return { url: `http://127.0.0.1:${port}`, stop };
}

/** All that searx 1.1.0 wants to be told; a failing engine is asked again at once. */
function settings(engines: readonly SearxEngine[], port: number): object {
  return {
    general: { debug: false, instance_name: 'searx' },
    search: { safe_search: 0, autocomplete: '', default_lang: 'en', ban_time_on_fail: 0, max_ban_time_on_fail: 0 },
    server: {
      port,
      bind_address: '127.0.0.1',
      secret_key: 'of-a-test',
      base_url: false,
      image_proxy: false,
      http_protocol_version: '1.0',
      method: 'GET',
      default_http_headers: {},
    },
    ui: {
      static_path: join(PAGES, 'static'),
      templates_path: join(PAGES, 'templates'),
      default_theme: 'oscar',
      default_locale: '',
      theme_args: { oscar_style: 'logicodev' },
    },
    outgoing: { request_timeout: 10, useragent_suffix: '', pool_connections: 10, pool_maxsize: 10 },
    engines: engines.map(({ name, url, category }) => ({
      name,
      engine: 'json_engine',
      shortcut: name,
      categories: category,
      search_url: `${url}?q={query}`,
      results_query: 'results',
      url_query: 'url',
      title_query: 'title',
      content_query: 'content',
      enable_http: true,
    })),
    locales: { en: 'English' },
    doi_resolvers: { none: 'https://example.org/' },
    default_doi_resolver: 'none',
  };
}

/** Resolves when it reports that it listens; later output is discarded. */
async function ready(child: ChildProcess): Promise<void> {
  if (child.stderr === null) throw new Error('searx was started without pipes');
  const output: string[] = [];
  const lines = createInterface({ input: child.stderr });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`searx ended (${code ?? signal}):\n${output.join('\n')}`)));
    lines.on('line', (line) => {
      if (output.length < 200) output.push(line);
      if (line.includes('Running on')) resolve();
    });
  });
}
