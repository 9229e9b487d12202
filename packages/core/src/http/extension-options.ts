import { z } from 'zod';
import { port } from '../options/option-schemas.js';
import type { Extension } from './extension.js';

/** More paths than the four endpoints. A path that is not asked for stays the host's. */
export interface ExtensionOptions {
  /** `POST /api/v1/mcp`: the gateway as tools for agents: `mcp()` of `@searchgate/mcp`. Default: none. */
  readonly mcp?: Extension | undefined;
}

export const extensionsSchema = z.strictObject(
  { mcp: port<Extension>(['respond'], 'mcp() of @searchgate/mcp').optional() },
  'an object such as { mcp: mcp() }',
);
