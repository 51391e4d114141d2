/** Which requests go through a proxy: the variables have the meaning that other programs in a cluster give them. */
import { describe, expect, test } from 'vitest';
import { isDirect, proxyAddress, usableProxies } from './proxy.ts';

describe('the address of a proxy', () => {
  test.each<{ because: string; text: string; expected: string | undefined }>([
    { because: 'is a URL', text: 'http://proxy.example:3128', expected: 'http://proxy.example:3128/' },
    { because: 'may be reached over TLS', text: 'https://proxy.example', expected: 'https://proxy.example/' },
    { because: 'lacks its scheme', text: 'proxy.example:3128', expected: 'http://proxy.example:3128/' },
    { because: 'lacks scheme and port', text: 'proxy', expected: 'http://proxy/' },
    { because: 'has a scheme in capitals', text: 'HTTP://proxy.example:3128', expected: 'http://proxy.example:3128/' },
    { because: 'has a password', text: 'u:p@proxy.example:3128', expected: 'http://u:p@proxy.example:3128/' },
    { because: 'has another protocol', text: 'socks5://proxy.example:1080', expected: undefined },
    { because: 'has no host', text: 'http://', expected: undefined },
    { because: 'has no host that a URL can have', text: 'no host', expected: undefined },
  ])('$because: $text', ({ text, expected }) => {
    expect(proxyAddress(text)).toBe(expected);
  });

  test('is corrected in the variables of proxies alone', () => {
    const env = { https_proxy: 'a:1', HTTPS_PROXY: 'socks5://b', HTTP_PROXY: '', NO_PROXY: 'c', OTHER: 'd:1' };
    expect(usableProxies(env)).toEqual({ ...env, https_proxy: 'http://a:1/', HTTPS_PROXY: undefined });
  });
});

describe('without a proxy are reached', () => {
  test.each<{ because: string; url: string; noProxy: string; direct: boolean }>([
    { because: 'this machine by its name', url: 'http://localhost:5000/', noProxy: '', direct: true },
    { because: 'this machine by a name below', url: 'http://kind.localhost:5000/', noProxy: '', direct: true },
    { because: 'this machine by its address', url: 'http://127.0.0.1:5000/', noProxy: '', direct: true },
    { because: 'this machine by its address of version 6', url: 'http://[::1]:5000/', noProxy: '', direct: true },
    { because: 'nothing else if no variable says so', url: 'https://a.example/', noProxy: '', direct: false },
    { because: 'all', url: 'https://a.example/', noProxy: 'b.example, *', direct: true },
    { because: 'a name', url: 'https://a.example/', noProxy: 'b.example,a.example', direct: true },
    { because: 'a name in capitals with a last dot', url: 'https://a.example/', noProxy: 'A.Example.', direct: true },
    { because: 'a name with a last dot', url: 'https://a.example./', noProxy: 'a.example', direct: true },
    { because: 'names below a domain without a dot', url: 'https://a.example/', noProxy: 'example', direct: true },
    { because: 'names below a domain with a dot', url: 'https://a.example/', noProxy: '.example', direct: true },
    { because: 'names below a domain with a star', url: 'https://a.example/', noProxy: '*.example', direct: true },
    { because: 'no domain itself whose entry has a dot', url: 'https://example/', noProxy: '.example', direct: false },
    { because: 'no name that only ends alike', url: 'https://a.myexample/', noProxy: 'example', direct: false },
    { because: 'a name with its port', url: 'https://a.example:5000/', noProxy: 'a.example:5000', direct: true },
    { because: 'a name with the port of TLS', url: 'https://a.example/', noProxy: 'example:443', direct: true },
    { because: 'no name with another port', url: 'https://a.example/', noProxy: 'a.example:5000', direct: false },
    { because: 'an address', url: 'https://10.1.2.3/', noProxy: '10.1.2.3', direct: true },
    { because: 'an address with its port', url: 'https://10.1.2.3:5000/', noProxy: '10.1.2.3:5000', direct: true },
    { because: 'no other address', url: 'https://10.1.2.30/', noProxy: '10.1.2.3', direct: false },
    { because: 'addresses of a range', url: 'https://10.1.2.3:5000/', noProxy: '10.0.0.0/8', direct: true },
    { because: 'no address beyond a range', url: 'https://11.1.2.3/', noProxy: '10.0.0.0/8', direct: false },
    { because: 'addresses of a range of version 6', url: 'https://[fd00::5]/', noProxy: 'fd00::/8', direct: true },
    { because: 'no address of another version', url: 'https://[fd00::5]/', noProxy: '0.0.0.0/0', direct: false },
    { because: 'an address of version 6', url: 'https://[fd00::5]/', noProxy: 'fd00:0::5', direct: true },
    { because: 'that with its port', url: 'https://[fd00::5]:5000/', noProxy: '[fd00::5]:5000', direct: true },
    { because: 'no name whose address is not known', url: 'https://a.example/', noProxy: '10.0.0.0/8', direct: false },
    {
      because: 'none by a range that is none',
      url: 'https://10.1.2.3/',
      noProxy: '10.0.0.0/99,10.0.0.0/',
      direct: false,
    },
  ])('$because: $url, NO_PROXY=$noProxy', ({ url, noProxy, direct }) => {
    expect(isDirect(new URL(url), { NO_PROXY: noProxy })).toBe(direct);
    expect(isDirect(new URL(url), { no_proxy: noProxy, NO_PROXY: 'other.example' })).toBe(
      noProxy === '' ? isDirect(new URL(url), { NO_PROXY: 'other.example' }) : direct,
    );
  });
});
