import express from 'express';
import { forward, type Question } from './forward.js';
import { writeModels } from './models-buffer.js';
import { announceWhenListening } from './server-settings.js';

/** What a team would write by hand in Express. */
const app = express();
app.use(express.json());
app.post('/api/v1/answer', async (request, response) => {
  response.json(await forward(request.body as Question));
});
app.get('/api/v1/models', writeModels);

announceWhenListening(app.listen(0, '127.0.0.1'));
