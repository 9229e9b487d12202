import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULTS, parseGatewayOptions } from '../src/gateway-schema.js';
import { type GatewayOptions, isGatewayError, memoryApiKeys, memoryLedger, REASONS } from '../src/index.js';
import * as providers from '../src/providers/index.js';
import { anchors, codeBlocks, documents, links, read, root, sections, tableRows } from './markdown.js';
import { fieldsOf, propertiesOf, wordsOf } from './source-types.js';

const REPOSITORY = 'https://github.com/searchgate/searchgate';
/** Matches the URL of a file or folder of this repository, up to its path. */
const IN_REPOSITORY = /^https:\/\/github\.com\/searchgate\/searchgate\/(?:blob|tree)\/main\//;

/** The code names in the first column of a document's tables, with the rest of their rows. */
function documentedNames(document: string): Map<string, string[]> {
  const rows = tableRows(read(document)).flatMap(([first = '', ...cells]) =>
    [...first.matchAll(/`([\w$/.-]+)`/g)].map(({ 1: name = '' }) => [name, cells] as const),
  );
  return new Map(rows.reverse());
}

describe('errors.md', () => {
  const hostReasons = [
    'invalid_configuration',
    'no_key_registry',
    ...wordsOf('base/errors/ledger-error.ts', 'LedgerReason'),
  ];

  it('has a heading for every reason, and for no other', () => {
    const described = sections(read('docs/errors.md')).filter(({ heading }) => /^[a-z_]+$/.test(heading));
    const reasons = new Set([...Object.keys(REASONS), ...hostReasons]);
    expect(described.map(({ heading }) => heading).sort()).toEqual([...reasons].sort());
  });
});

describe('configuration.md', () => {
  const documented = documentedNames('docs/configuration.md');
  const anOption = propertiesOf('gateway-options.ts', 'GatewayOptions');

  it.each([
    ['gateway-options.ts', 'GatewayOptions'],
    ['auth/auth-failure-options.ts', 'AuthFailureOptions'],
    ['catalog/model-overrides.ts', 'ModelOverride'],
    ['auth/memory-api-keys.ts', 'MemoryApiKey'],
    ['ledger/memory-ledger.ts', 'MemoryLedgerOptions'],
    ['ledger/memory-idempotency.ts', 'MemoryIdempotencyOptions'],
    ['http/to-fetch-handler.ts', 'FetchHandlerOptions'],
    ['../../express/src/index.ts', 'GatewayRouterOptions'],
    ['../../koa/src/index.ts', 'GatewayRouterOptions'],
    ['../../dashboard/src/dashboard-options.ts', 'DashboardOptions'],
  ])('has a row for every option of %s', (path, name) => {
    expect(propertiesOf(path, name).filter((option) => !documented.has(option))).toEqual([]);
  });

  it('prints the defaults of the code', () => {
    const defaults: Readonly<Record<string, number | undefined>> = DEFAULTS;
    const wrong = anOption.flatMap((option) => {
      const figure = defaults[option];
      const [printed] = documented.get(option) ?? [];
      return figure === undefined || printed === figure.toLocaleString('en-US') ? [] : [`${option}: ${figure}`];
    });
    expect(wrong).toEqual([]);
  });

  it('prints the limits of the code', () => {
    const good = { providers: [], ledger: memoryLedger(), apiKeys: memoryApiKeys() };
    const bounded = anOption.flatMap((option) => {
      const bounds = /^a whole number from (\d+) to (\d+)$/.exec(expectedOf({ ...good, [option]: 'x' }, option));
      return bounds === null
        ? []
        : [[option, bounds.slice(1).map((end) => Number(end).toLocaleString('en-US'))] as const];
    });
    expect(bounded.length).toBeGreaterThan(10);
    for (const [option, ends] of bounded)
      expect([option, documented.get(option)?.[1]]).toEqual([option, ends.join(' to ')]);
  });

  function expectedOf(options: object, option: string): string {
    try {
      parseGatewayOptions(options as GatewayOptions);
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      const { problems } = error as unknown as { problems: readonly { path: string; expected: string }[] };
      return problems.find(({ path }) => path === option)?.expected ?? '';
    }
    return '';
  }
});

describe('server-configuration.md', () => {
  const documented = documentedNames('docs/server-configuration.md');

  it('has a row for every field of the configuration file', () => {
    const fields = fieldsOf('../../server/src/config-file.ts', 'schema');
    expect(fields).toContain('organizations');
    expect(fields.filter((field) => !documented.has(field))).toEqual([]);
  });

  it('has a row for every variable of the server', () => {
    const source = read('packages/server/src/environment.ts');
    const variables = [...source.matchAll(/^ {2}([A-Z_]+): \w+/gm)].map(([, name = '']) => name);
    expect(variables).toContain('PORT');
    expect(variables.filter((name) => !documented.has(name))).toEqual([]);
  });
});

describe('authentication.md', () => {
  it('has a row for every field of an identity', () => {
    const documented = documentedNames('docs/authentication.md');
    const fields = [
      ...propertiesOf('auth/key-identity.ts', 'KeyIdentity'),
      ...propertiesOf('base/time/rate-limit.ts', 'AdmissionLimits'),
      ...propertiesOf('base/time/rate-limit.ts', 'KeyLimits'),
    ];
    expect(fields).toHaveLength(13);
    expect(fields.filter((field) => !documented.has(field))).toEqual([]);
  });
});

describe('providers.md', () => {
  it('has a row for every setting of all providers', () => {
    const documented = documentedNames('docs/providers.md');
    const settings = propertiesOf('provider-kit/provider.ts', 'ProviderSettings');
    expect(settings.filter((setting) => !documented.has(setting))).toEqual([]);
  });

  it.each(Object.keys(providers))('has a page with a row for every setting of %s alone', (id) => {
    const path = `providers/${id}/${id}-provider.ts`;
    const [, name] = /^export interface (\w+Settings) /m.exec(read(`packages/core/src/${path}`)) ?? [];
    const documented = documentedNames(`docs/providers/${id}.md`);
    const settings = name === undefined ? [] : propertiesOf(path, name);
    expect(settings.filter((setting) => !documented.has(setting))).toEqual([]);
  });
});

describe.each(readdirSync(join(root, 'packages')))('the npm page of the package %s', (name) => {
  const folder = `packages/${name}`;

  it('has only absolute links, because npm shows its README without other files', () => {
    const relative = links(read(`${folder}/README.md`)).filter((target) => !/^(?:https:|#)/.test(target));
    expect(relative).toEqual([]);
  });

  it('names the repository, its issues and the package’s folder', () => {
    expect(JSON.parse(read(`${folder}/package.json`))).toMatchObject({
      homepage: `${REPOSITORY}#readme`,
      bugs: `${REPOSITORY}/issues`,
      repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: folder },
    });
  });

  it('has the version of the newest heading of the changelog, as all packages have', () => {
    const newest = /^## (\S+)$/m.exec(read('CHANGELOG.md'))?.[1];
    expect(JSON.parse(read(`${folder}/package.json`))).toMatchObject({ version: newest });
  });

  it('names the packages to install: itself, and core for applications that mount a gateway', () => {
    const [install] = codeBlocks(read(`${folder}/README.md`), 'sh');
    const { dependencies = {} } = JSON.parse(read(`${folder}/package.json`)) as { dependencies?: object };
    // A client depends only on the wire format of a gateway.
    const first = name === 'core' || '@searchgate/core' in dependencies ? 'core' : name;
    expect(install?.code.split(/\s+/, 3).join(' ')).toBe(`npm install @searchgate/${first}`);
    expect(install?.code).toContain(`@searchgate/${name}`);
  });
});

describe('the frequent questions', () => {
  it('name every provider', () => {
    const question = 'Which providers or vendors are supported?';
    const { body = '' } = sections(read('docs/faq.md')).find(({ heading }) => heading === question) ?? {};
    const names = Object.values(providers).map((create) => create({ apiKey: 'a-key' }).name);
    const missing = names.filter((name) => !body.includes(name));
    expect(missing, `to be added to docs/faq.md under “${question}”`).toEqual([]);
  });
});

describe('before the first release', () => {
  it('says next to every npx command that its package is not on npm yet, and how to make tarballs', () => {
    const silent = documents()
      .filter((document) => !document.startsWith('docs/decisions/') && /npx [^`\n]*@searchgate\//.test(read(document)))
      .filter((document) => !/not on npm yet: \[make tarballs\]\([^)]*README\.md#mount-it\)/.test(read(document)));
    expect(silent).toEqual([]);
  });

  it.each(['server', 'mcp'])('names the tarballs that an installation of %s needs, all of them', (name) => {
    const [, listed = ''] = new RegExp(`searchgate-\\{([\\w,-]*,${name})\\}-`).exec(read('README.md')) ?? [];
    const { dependencies } = JSON.parse(read(`packages/${name}/package.json`)) as { dependencies: object };
    const own = Object.keys(dependencies).filter((dependency) => dependency.startsWith('@searchgate/'));
    expect(listed.split(',').sort()).toEqual([...own.map((dependency) => dependency.slice(12)), name].sort());
  });

  it('names the tarballs that the tutorial needs, all of them', () => {
    const [, listed = ''] = /searchgate-\{([\w,-]+)\}-/.exec(read('docs/tutorial.md')) ?? [];
    const { dependencies } = JSON.parse(read('examples/tutorial/package.json')) as { dependencies: object };
    const own = Object.keys(dependencies).filter((dependency) => dependency.startsWith('@searchgate/'));
    expect(own).toEqual(listed.split(',').map((name) => `@searchgate/${name}`));
  });
});

describe('every document', () => {
  it('links only to existing files and headings', () => {
    const dead = documents().flatMap((document) =>
      links(read(document))
        .map((target) => target.replace(IN_REPOSITORY, '/'))
        .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(document, target))
        .map((target) => `${document}: ${target}`),
    );
    expect(dead).toEqual([]);
  });

  function leadsSomewhere(document: string, target: string): boolean {
    const [path = '', fragment] = target.split('#');
    const file = path === '' ? document : path.startsWith('/') ? path : join(dirname(document), path);
    if (!existsSync(join(root, file))) return false;
    return fragment === undefined || !file.endsWith('.md') || anchors(read(file)).has(fragment);
  }
});
