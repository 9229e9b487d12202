import dns from 'node:dns';

/** The hosts besides this machine that clients wanted to reach. Their calls fail. */
export const strangers = new Set();

const LOCAL = ['localhost', '127.0.0.1', '::1'];
const { lookup } = dns;
dns.lookup = (host, ...rest) => {
  if (LOCAL.includes(host)) lookup(host, ...rest);
  else {
    strangers.add(host);
    rest.at(-1)(new Error(`${host} is another machine`));
  }
};
