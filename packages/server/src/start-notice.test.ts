import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import type { Provider } from '@searchgate/core/provider-kit';
import { exa, google, perplexity } from '@searchgate/core/providers';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { describe, expect, it } from 'vitest';
import { VENDORS } from './create-providers.js';
import { startNotice } from './start-notice.js';

const documents = [
  { source: 'shop', url: 'https://example.org/shop.md', markdown: '# Shop\n\nThe shop opens at nine.' },
];
const gatewayWith = (...providers: Provider[]) =>
  createGateway({
    providers: [localDocs({ documents }), ...providers],
    apiKeys: memoryApiKeys(),
    ledger: memoryLedger(),
  });
const gateway = gatewayWith(exa({ apiKey: 'exa' }), perplexity({ apiKey: 'pplx' }));
const demo = { secret: 'sg_demo', limit: 1_000_000_000n, limitReset: null, isRevoked: false, kept: null };
const kept = { ledger: 'data/searchgate.db', keyFile: 'data/demo-key' };
const notice = {
  gateway,
  url: 'http://127.0.0.1:3000',
  demo,
  about: 'the documentation of a shop',
  questions: ["What's on?"],
  page: 'https://example.org/shop.md',
  adminCommand: 'searchgate admin',
  admin: null,
};

describe('startNotice', () => {
  it('lists the models that can be called, with their prices', () => {
    const text = startNotice(notice);
    expect(text).toMatch(/^ {2}local\/docs +\$0\.001 a request$/m);
    expect(text).toMatch(/^ {2}exa\/answer +\$0\.\d+ a request$/m);
    const callable = gateway.models({ callable: true }).length;
    expect(text).toContain(`\n  and ${callable - 2} more: GET /api/v1/models`);
    const withPerplexity = startNotice({ ...notice, gateway: gatewayWith(perplexity({ apiKey: 'pplx' })) });
    expect(withPerplexity).toMatch(/^ {2}perplexity\/\S+ +by use: \$/m);
  });

  it('shows Google’s terms if Google is enabled', () => {
    const withGoogle = startNotice({ ...notice, gateway: gatewayWith(google({ apiKey: 'AIza' })) });
    expect(withGoogle).toContain('Do not show answers of google/ models to users: docs/providers/google.md');
    expect(startNotice(notice)).not.toContain('google');
  });

  it('quotes the question for the shell', () => {
    const text = startNotice({ ...notice, gateway: gatewayWith() });
    expect(text).toContain(String.raw`  ask answer '{"model":"local/docs","query":"What'\''s on?"}'`);
  });

  it('proposes models of the provider whose key was given', () => {
    expect(startNotice({ ...notice, gateway: gatewayWith(perplexity({ apiKey: 'pplx' })) })).toMatch(
      /ask answer '{"model":"perplexity\//,
    );
    expect(startNotice(notice).match(/(?<=^ {2}ask ).*/gm)).toEqual([
      `answer '{"model":"exa/answer","query":"What is new in Node.js 24?"}'`,
      `search '{"model":"exa/auto","query":"What is new in Node.js 24?"}'`,
      `extract '{"model":"exa/contents","urls":["https://example.org/shop.md"]}'`,
      `embeddings '{"model":"perplexity/pplx-embed-v1-0.6b","input":"The bridge opened in May."}'`,
    ]);
    const closed = gatewayWith();
    expect(startNotice({ ...notice, gateway: closed }).match(/"model":"[^"]*"/g)).toEqual(
      ['docs', 'search', 'extract'].map((name) => `"model":"local/${name}"`),
    );
  });

  it('shows the demo key, but no key of a configuration', () => {
    expect(startNotice(notice)).toContain('Authorization: Bearer sg_demo"');
    const configured = startNotice({ ...notice, demo: null });
    expect(configured).not.toContain('sg_');
    expect(configured).toContain('Authorization: Bearer $SEARCHGATE_API_KEY"');
  });

  it('says whether the demo’s data survives a restart', () => {
    expect(startNotice(notice)).toContain('Both are forgotten when the service stops.');
    const lasting = startNotice({ ...notice, demo: { ...demo, kept } });
    expect(lasting).toContain('Both survive a restart, in data/searchgate.db and data/demo-key.');
    expect(lasting.replaceAll('\n', ' ')).toContain('Make your own: searchgate admin --help');
  });

  it('shows the address of the page for operators, and a newly made password', () => {
    expect(startNotice(notice)).not.toContain('/admin');
    const made = startNotice({ ...notice, admin: { madePassword: 'a-password' } });
    expect(made).toContain('Page for operators: http://127.0.0.1:3000/admin, password (shown once): a-password\n');
    const known = startNotice({ ...notice, admin: { madePassword: null } });
    expect(known).toContain('Page for operators: http://127.0.0.1:3000/admin\n');
  });

  it('fits one screen, and ends with the commands to paste', () => {
    const secret = `sg_${'0'.repeat(12)}_${'x'.repeat(43)}`;
    const about = `the documentation of ${'Searchgate, '.repeat(8)}and others`;
    const everyProvider = Object.values(VENDORS).map((create) => create({ apiKey: 'a-key' }));
    for (const providers of [[], everyProvider]) {
      const text = startNotice({
        ...notice,
        gateway: gatewayWith(...providers),
        url: 'http://127.0.0.1:30000',
        demo: { ...demo, secret, kept },
        about,
        admin: { madePassword: 'x'.repeat(22) },
        questions: ['How do I mount it in a Koa application?', 'How do I set a monthly budget for a key?'],
      });
      const lines = text.trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(24);
      const [said = '', commands = ''] = text.split(/(?=^ {2}key=)/m);
      expect(Math.max(...said.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
      expect(commands).toMatch(/^ {2}key=".*"\n {2}ask\(\) .*\n {2}ask\(\) .*\n.*\n(?: {2}ask [a-z]+ '.*'\n){3,5}$/);
    }
  });

  it('shows an administrator’s changes to the demo key', () => {
    const changed = { ...demo, kept, limit: 2_500_000_000n, limitReset: 'daily' as const };
    expect(startNotice({ ...notice, demo: changed })).toContain('the key below may spend $2.50 of it, daily.');
    const revoked = startNotice({ ...notice, demo: { ...demo, kept, isRevoked: true } });
    expect(revoked).toContain('Remove data/demo-key to get another one.');
    expect(revoked).not.toContain('sg_demo');
  });
});
