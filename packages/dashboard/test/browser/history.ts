import { systemClock } from '@searchgate/core/ledger';
import { openStage, type Stage } from './stage.js';

const DAY_MS = 86_400_000;
const DAYS = 21;

export interface UsedStage extends Stage {
  /** Makes requests with all keys, some of which are refused. */
  askAround(requests: number): Promise<void>;
}

/** A stage that has been in use for three weeks: keys with limits, usage by day and model, refusals, and a suspended organization. */
export async function openUsedStage(): Promise<UsedStage> {
  let daysAgo = DAYS;
  const clock = { ...systemClock, now: () => Date.now() - daysAgo * DAY_MS };
  const stage = await openStage('Express 5', clock);
  const { administration } = stage;
  for (const [id, name] of Object.entries({ acme: 'Acme Inc', globex: 'Globex', initech: 'Initech' })) {
    await administration.organizations.create({ id, name });
    await administration.grant({ organizationId: id, amount: '40.00', grantId: `first-${id}` });
  }
  const create = administration.apiKeys.create;
  const keys = [
    await create({ organizationId: 'acme', label: 'web-shop', limit: '25.00', limitReset: 'monthly' }),
    await create({ organizationId: 'acme', label: 'nightly-report', rateLimit: { requests: 600, periodMs: 60_000 } }),
    await create({ organizationId: 'globex', label: 'support-bot', allowedModels: ['exa/answer', 'perplexity/sonar'] }),
  ];
  const askAround = async (requests: number) => {
    for (let request = 0; request < requests; request += 1) {
      const status = await stage.ask(keys[request % keys.length]?.secret ?? '', 2 * request);
      if (![200, 401, 403].includes(status)) throw new Error(`a request of the history got ${status}`);
    }
  };
  for (; daysAgo >= 0; daysAgo -= 1) {
    // A quiet weekend every seven days.
    await askAround(daysAgo % 7 < 2 ? 2 : 5 + ((daysAgo * 5) % 9));
  }
  daysAgo = 0;
  await administration.apiKeys.revoke(keys[2]?.key.id ?? '');
  await administration.organizations.suspend('initech');
  return { ...stage, askAround };
}
