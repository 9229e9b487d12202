import { describe, expect, it } from 'vitest';
import { delivered, MODEL, NOW_MS, openStage, removePages, type Stage, type User } from './stage.js';

removePages();

const QUESTION = 'When does the, "Zephyr" bridge open?';
const DAY_MS = 86_400_000;
const capture = { organizations: ['acme', 'house'], keepDays: 3 };

/** Asks for two organizations, of which the texts of one are kept. @returns the ids of the requests. */
async function openAsked(stage: Stage = openStage({}, true, capture)) {
  for (const organizationId of ['acme', 'globex'])
    await stage.gateway.answer({ apiKey: { id: 'key', organizationId }, model: MODEL, query: QUESTION });
  await delivered();
  await stage.clock.advance(1_000);
  const { rows } = await stage.log.find({}, { limit: 10 });
  const idOf = (id: string) => rows.find(({ organizationId }) => organizationId === id)?.requestId ?? '';
  const read = (user: User, id = idOf('acme')) => stage.call(user, 'GET', `/api/v1/requests/${id}/text`);
  return { ...stage, read, acme: idOf('acme'), globex: idOf('globex') };
}

describe('questions and answers', () => {
  it('are for readers and operators of the organization, each of whom is named in the log', async () => {
    const lines: unknown[] = [];
    const logger = { warn: (fields: object) => void lines.push(fields), error: () => undefined };
    const { read, acme, call } = await openAsked(openStage({ logger }, true, capture));
    for (const user of ['viewer', 'acmeViewer', 'acmeTenant', 'globexViewer'] as const) {
      const { status, json } = await read(user);
      expect([user, status, json.error.message]).toEqual([user, 403, expect.stringContaining('reader and operator')]);
      expect((await call(user, 'GET', '/api/v1/session')).json.can_read_texts).toBe(false);
    }
    expect(lines).toEqual([]);
    for (const user of ['acmeReader', 'operator', 'acmeOperator'] as const) {
      expect(await read(user)).toMatchObject({
        status: 200,
        json: {
          question: QUESTION,
          answer: 'Thirty days [1].',
          is_cut: false,
          expires_at: new Date(NOW_MS + 3 * DAY_MS).toISOString(),
        },
      });
      expect(lines.splice(0)).toEqual([{ actor: user, requestId: acme, organizationId: 'acme' }]);
      expect((await call(user, 'GET', '/api/v1/session')).json.can_read_texts).toBe(true);
    }
    expect((await read('acmeReader', 'req_unknown')).status).toBe(404);
    const change = await call('acmeReader', 'POST', '/api/v1/organizations/acme/suspend', { json: {} });
    expect(change.status).toBe(403);
  });

  it('are not there for reasons that are told, and look unknown to users of other organizations', async () => {
    const { read, acme, globex, clock, administration } = await openAsked();
    const why = async (user: User, id: string) => {
      const { status, json } = await read(user, id);
      return [status, json.error.message];
    };
    expect(await why('operator', globex)).toEqual([404, expect.stringContaining('off for it')]);
    expect(await why('acmeReader', globex)).toEqual([404, 'There is nothing of this name.']);
    await clock.advance(3 * DAY_MS - 1_000);
    // Refused although no one has removed it.
    expect(await administration.requests?.texts([acme])).toHaveLength(1);
    expect(await why('operator', acme)).toEqual([404, expect.stringContaining('kept for 3 days')]);
    const without = await openAsked(openStage());
    expect((await without.read('operator')).json.error.message).toContain('capture is off');
    expect((await without.call('operator', 'GET', '/api/v1/session')).json.can_read_texts).toBe(false);
    const erased = await openAsked();
    await erased.administration.requests?.eraseTexts({ organizationId: 'acme', keyId: 'key' });
    expect((await erased.read('operator')).json.error.message).toContain('erased or lost');
  });

  it('are in no other answer, and in a download if a reader asks for them', async () => {
    const { call, acme } = await openAsked();
    const answers: string[] = [];
    for (const path of ['requests', 'requests.csv', `requests/${acme}`, 'health', 'changes', 'organizations/acme'])
      answers.push((await call('operator', 'GET', `/api/v1/${path}`)).text);
    expect(answers.join()).toContain(acme);
    expect(answers.filter((text) => /Zephyr|Thirty/.test(text))).toEqual([]);

    const query = 'texts=true';
    expect((await call('acmeViewer', 'GET', '/api/v1/requests.csv', { query })).status).toBe(403);
    const { text } = await call('operator', 'GET', '/api/v1/requests.csv', { query });
    const [head = '', ...rows] = text.trim().split('\r\n');
    expect(head).toMatch(/,question,answer,is_cut$/);
    const ends = rows.map((row) => row.slice(row.indexOf('ans_')).replace(/^[^,]*/, ''));
    expect(ends.sort()).toEqual([',"When does the, ""Zephyr"" bridge open?",Thirty days [1].,false', ',,,']);
    expect((await call('operator', 'GET', '/api/v1/requests.csv', { query: 'texts=1' })).status).toBe(400);
  });
});
