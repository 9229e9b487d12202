const TEXTS = ['Which bridge opened in May?', 'The Zephyr Bridge [1].', 'And where is it?'];

export const CONVERSATION = TEXTS.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
export const OUT_OF_TURN = 'must be of user and assistant by turns, of the user first and last';
