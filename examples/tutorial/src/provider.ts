import { fakeProvider } from '@searchgate/testing';

export const provider = fakeProvider({
  id: 'exa',
  price: '0.005',
  replies: [{ text: ['Not yet,', 1_000, ' said the fake provider.'] }],
});
