export { localModels } from './local-models.js';
