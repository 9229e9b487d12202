import type { Gateway, ModelEntry } from '@searchgate/core';
import { type AskDeps, canAsk } from './ask.js';
import type { Model, Session } from './contract.js';
import { json, type Routes } from './exchange.js';

export interface SessionDeps extends Pick<AskDeps, 'house'>, Pick<Session, 'answerUrl' | 'logoutUrl'> {
  readonly gateway: Pick<Gateway, 'models'>;
}

/** Who is here, and which models there are. */
export function sessionRoutes({ gateway, house, answerUrl, logoutUrl }: SessionDeps): Routes {
  return {
    'api/session': {
      GET({ scope }) {
        const { role, organizations } = scope;
        const session: Session = { role, organizations, canAsk: canAsk(scope, house), answerUrl, logoutUrl };
        return json(session);
      },
    },
    'api/models': { GET: () => json({ models: gateway.models({ category: 'answer' }).map(modelOf) }) },
  };
}

function modelOf({ id, name, provider, features, options = [], pricing }: ModelEntry): Model {
  return { id, name, provider, features, options: options.map(wireName), price: priceText(pricing) };
}

/** Options are called otherwise over HTTP: `includeDomains` is `include_domains`. */
function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const DYNAMIC = '-1';

function priceText(pricing: ModelEntry['pricing']): string {
  const { request, perMillionInputTokens, perMillionOutputTokens, perSearch } = pricing;
  if (request !== undefined && request !== DYNAMIC) return `$${request} a call`;
  const rates = [
    perMillionInputTokens === undefined ? [] : [`$${perMillionInputTokens} per 1M input tokens`],
    perMillionOutputTokens === undefined ? [] : [`$${perMillionOutputTokens} per 1M output tokens`],
    perSearch === undefined ? [] : [`$${perSearch} a search`],
  ].flat();
  return rates.length === 0 ? 'depends on use' : `depends on use: ${rates.join(', ')}`;
}
