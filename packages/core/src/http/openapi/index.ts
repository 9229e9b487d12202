export { type OpenApiDocument, openApiDocument, type OpenApiOptions } from './open-api-document.js';
