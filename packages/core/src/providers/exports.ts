// The factories of all built-in providers: those of vendors, and those of services that the host runs or knows itself.

export type { ExtraModel, KeylessSettings } from '../provider-kit/provider.js';
export * from './index.js';
export * from './openai-compatible.js';
export { type SearxngSettings, searxng } from './searxng.js';
