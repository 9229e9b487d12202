export { chatCompletions } from './chat-completions/chat-completions.js';
export { responses } from './responses/responses.js';
