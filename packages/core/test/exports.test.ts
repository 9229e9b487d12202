import { expect, it } from 'vitest';

// Every name here is a promise to users: removing or renaming one is a breaking change.
async function exportsOf(entry: string): Promise<string> {
  const names = Object.keys((await import(entry)) as object);
  return names.sort().join('\n');
}

it('freezes the exports of @searchgate/core', async () => {
  expect(await exportsOf('@searchgate/core')).toMatchInlineSnapshot(`""`);
});

it('freezes the exports of @searchgate/core/node', async () => {
  expect(await exportsOf('@searchgate/core/node')).toMatchInlineSnapshot(`""`);
});

it('freezes the exports of @searchgate/core/providers', async () => {
  expect(await exportsOf('@searchgate/core/providers')).toMatchInlineSnapshot(`
    "UpstreamError
    allProviders
    exa
    perplexity
    perplexityLegacyAliases"
  `);
});

it('freezes the exports of @searchgate/core/testing', async () => {
  expect(await exportsOf('@searchgate/core/testing')).toMatchInlineSnapshot(`
    "FAULTS
    FAULT_EXPECTATIONS
    createFakeClock
    startFaultUpstream"
  `);
});

it('freezes the exports of @searchgate/express', async () => {
  expect(await exportsOf('../../express/src/index.js')).toMatchInlineSnapshot(`""`);
});

it('freezes the exports of @searchgate/koa', async () => {
  expect(await exportsOf('../../koa/src/index.js')).toMatchInlineSnapshot(`""`);
});
