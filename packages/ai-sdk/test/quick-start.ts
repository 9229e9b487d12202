import { createSearchgate } from '@searchgate/ai-sdk';
import { generateText } from 'ai';

const { SEARCHGATE_URL = '', SEARCHGATE_API_KEY = '' } = process.env;
const searchgate = createSearchgate({ baseUrl: SEARCHGATE_URL, apiKey: SEARCHGATE_API_KEY });
const { text, sources } = await generateText({ model: searchgate('exa/answer'), prompt: 'What is new in Node.js?' });
console.log(text, sources);
