import { type ApiKeyRegistry, LedgerError } from '@searchgate/core/ledger';
import type { RegistryFault } from './broken-registries.js';

/** Faults that show only where several handles, or a process after another, work on the same keys. */
export const SHARED_REGISTRY_FAULTS: readonly RegistryFault[] = [
  {
    fault: 'remembers in each handle what it has found',
    breaks: (sound) => {
      const found = new Map<string, ReturnType<ApiKeyRegistry['findByHash']>>();
      return {
        async findByHash(hash) {
          const key = found.get(hash) ?? sound.findByHash(hash);
          found.set(hash, key);
          return key;
        },
      };
    },
    caughtBy: [
      'organizations: suspends and resumes every key of an organization and no other',
      'keys: changes the fields given and no others',
    ],
  },
  {
    fault: 'keeps suspensions in the handle that made them',
    breaks: (sound) => {
      const suspended = new Map<string, number | null>();
      return {
        async updateOrganization(id, change) {
          const { suspendedAtMs, ...rest } = change;
          if (suspendedAtMs !== undefined) suspended.set(id, suspendedAtMs);
          const organization = await sound.updateOrganization(id, rest);
          return organization && { ...organization, suspendedAtMs: suspended.get(id) ?? null };
        },
      };
    },
    caughtBy: [
      'organizations: suspends and resumes every key of an organization and no other',
      'opened again: keeps everything it acknowledged',
    ],
  },
  {
    fault: 'takes its own cursors only',
    breaks: (sound) => {
      const given = new Set<string>();
      return {
        async listKeys(query = {}) {
          if (query.cursor !== undefined && !given.has(query.cursor)) throw new LedgerError('invalid_cursor', 'whose?');
          const page = await sound.listKeys(query);
          if (page.nextCursor !== null) given.add(page.nextCursor);
          return page;
        },
      };
    },
    caughtBy: ['opened again: goes on with a list where the process before it stopped'],
  },
];
