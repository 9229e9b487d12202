import { type CreateReducer, type JsonObject, optional } from '@searchgate/core/provider-kit';

/** Reduces events `{ pages }`, `{ piece }` per part of the text, and `{ done: true, usd }` to `{ answer, pages, usd }`, as without streaming. */
export const reduceLumen: CreateReducer = (live) => {
  const reply: JsonObject = {};
  let answer = '';
  return {
    push({ piece, ...fields }) {
      Object.assign(reply, fields);
      if (fields['pages'] !== undefined) live?.sources(optional.addresses.parse(fields['pages']));
      if (typeof piece !== 'string') return;
      answer += piece;
      live?.text(piece);
    },
    isWhole: () => reply['done'] === true,
    // A plain JSON reply already has `answer`.
    end: () => ({ answer, ...reply }),
  };
};
