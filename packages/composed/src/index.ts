export { composed } from './composed.js';
export type { ChatServer, ComposedModel, ComposedPages, ComposedSettings } from './settings.js';
