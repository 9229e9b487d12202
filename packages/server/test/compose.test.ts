import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkService } from '../src/check-service.js';
import { VENDORS } from '../src/create-providers.js';

const read = (name: string) => readFileSync(new URL(`../docker/${name}`, import.meta.url), 'utf8');

interface Compose {
  readonly services: {
    readonly searchgate: {
      readonly stop_grace_period: string;
      readonly env_file: readonly { readonly path: string; readonly required: boolean }[];
      readonly environment: Readonly<Record<string, string | number>>;
      readonly ports: readonly string[];
      readonly volumes: readonly string[];
      readonly depends_on: Readonly<Record<string, { readonly condition: string }>>;
    };
    readonly postgres: { readonly healthcheck: object; readonly environment: Readonly<Record<string, string>> };
  };
  readonly volumes: Readonly<Record<string, null>>;
}

const { services, volumes } = parse(read('compose.yaml')) as Compose;
const { searchgate, postgres } = services;

describe('compose.yaml', () => {
  it('gives the server time to end calls, after a database that is ready', () => {
    expect(searchgate.stop_grace_period).toBe('30s');
    expect(searchgate.depends_on['postgres']?.condition).toBe('service_healthy');
    expect(postgres.healthcheck).toBeDefined();
  });

  it('passes the variable of every provider', () => {
    expect(searchgate.env_file).toEqual([{ path: 'searchgate.env', required: false }]);
    const variables = Object.keys(VENDORS).map((id) => `${id.toUpperCase().replaceAll('-', '_')}_API_KEY`);
    const offered = [...read('env.example').matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
    expect(new Set(offered)).toEqual(new Set([...variables, 'ADMIN_PASSWORD_HASH']));
  });

  it('mounts a configuration and serves metrics, with variables that the server takes', async () => {
    const { environment, ports, volumes: mounts } = searchgate;
    const [own, inside] = mounts.find((each) => each.startsWith('./'))?.split(':') ?? [];
    expect(inside).toBe(environment['SEARCHGATE_CONFIG']);
    expect(existsSync(new URL(`../docker/${own}`, import.meta.url))).toBe(true);
    expect(ports.some((each) => each.endsWith(`:${environment['METRICS_PORT']}`))).toBe(true);
    // Only this machine reaches them.
    expect(ports.filter((each) => !each.startsWith('127.0.0.1:'))).toEqual([]);

    const given = Object.entries(environment).map(([name, value]) => [name, filledIn(String(value))]);
    const settings = {
      ...Object.fromEntries(given),
      SEARCHGATE_CONFIG: new URL(`../docker/${own}`, import.meta.url).pathname,
    };
    expect(await checkService(settings)).toContain('Nothing is wrong.');
    expect(Object.keys(volumes)).toEqual(['data', 'postgres']);
  });
});

/** A value of the file with its variable replaced. */
function filledIn(value: string): string {
  return value.replace(/\$\{POSTGRES_PASSWORD:\?[^}]*\}/, 'a-password');
}
