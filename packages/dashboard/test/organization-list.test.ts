import { createAdministration } from '@searchgate/core/administration';
import { describe, expect, it } from 'vitest';
import { openStage, removePages, type Stage, spend, type User } from './stage.js';

removePages();

interface Listed {
  readonly data: readonly { readonly id: string; readonly last_used_at: string | null; readonly usage: string }[];
  readonly next_cursor: string | null;
}

async function listed({ call }: Stage, query: string, user: User = 'viewer') {
  const { status, json } = await call(user, 'GET', '/api/v1/organizations', { query });
  expect([status, json]).toMatchObject([200, {}]);
  const { data, next_cursor } = json as Listed;
  return { ids: data.map(({ id }) => id), data, next_cursor };
}

/** Also one with a name, which only its registry knows. */
async function fourOrganizations(): Promise<Stage> {
  const stage = openStage();
  for (const id of ['acme', 'globex', 'initech']) await stage.administration.organizations.create({ id });
  await stage.administration.organizations.create({ id: 'o-4', name: 'Acme Research' });
  return stage;
}

describe('organizations that are searched', () => {
  it.each([
    ['search=ACME', 'viewer', ['acme', 'o-4']],
    ['search=research', 'viewer', ['o-4']],
    ['search=none', 'viewer', []],
    ['search=', 'viewer', ['acme', 'globex', 'initech', 'o-4']],
    ['search=e', 'twoOperator', ['acme', 'globex']],
    ['search=research', 'twoOperator', []],
  ] as const)('%s for %s are %j', async (query, user, ids) => {
    expect(await listed(await fourOrganizations(), query, user)).toMatchObject({ ids, next_cursor: null });
  });

  it('come page by page, each once, however far apart they are', async () => {
    const stage = openStage();
    for (let index = 1_000; index < 1_250; index += 1)
      await stage.administration.organizations.create({ id: `${index % 50 === 7 ? 'rare' : 'common'}-${index}` });
    const pages: (readonly string[])[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await listed(stage, `search=RARE&limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      pages.push(page.ids);
      cursor = page.next_cursor;
    }
    // A page reads 200 parts at most, and the 245 common ones come first.
    expect(pages).toEqual([[], ...['1007', '1057', '1107', '1157', '1207'].map((number) => [`rare-${number}`])]);
  });
});

it('are read in slices, so that calls go on', async () => {
  const stage = openStage();
  for (let index = 0; index < 100; index += 1) await stage.administration.organizations.create({ id: `o-${index}` });
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  expect((await listed(stage, 'search=o-')).ids).toHaveLength(100);
  clearImmediate(counting);
  expect(turns).toBeGreaterThanOrEqual(8);
});

it('tells the last use of organizations, and their money while the request log fails or hangs', async () => {
  const stage = await fourOrganizations();
  await spend(stage, 'acme');
  await stage.clock.advance(1_000);
  await spend(stage, 'globex', 2);
  await stage.clock.advance(1_000);
  const uses = ({ data }: { data: Listed['data'] }) => data.map(({ last_used_at, usage }) => [last_used_at, usage]);
  expect(uses(await listed(stage, 'search=e&limit=3'))).toEqual([
    ['2026-11-21T12:00:00.000Z', '0.01'],
    ['2026-11-21T12:00:01.000Z', '0.02'],
    [null, '0'],
  ]);
  for (const find of [() => Promise.reject(new Error('broken')), () => new Promise<never>(() => undefined)]) {
    const { ledger, log, gateway, clock } = stage;
    const requestLog = { ...log, find };
    const { requests } = createAdministration({ ledger, requestLog, clock });
    const administration = { ...stage.administration, requests };
    const failing = openStage({ gateway, administration });
    const reading = listed(failing, 'search=acme&limit=1');
    await failing.clock.advance(1_000);
    expect(uses(await reading)).toEqual([[null, '0.01']]);
  }
});
