import { expect, test } from 'vitest';
import { describeConnectionFailure } from './connection-failure.ts';

const refused = (address: string): Error => Object.assign(new Error(), { code: 'ECONNREFUSED', address, port: 5000 });
const wrong = (cert: object): Error =>
  Object.assign(new Error(), { code: 'ERR_TLS_CERT_ALTNAME_INVALID', host: 'registry.example', cert });

test.each([
  {
    because: 'one address was tried',
    error: refused('10.0.0.7'),
    message: 'the connection to 10.0.0.7:5000 is refused (ECONNREFUSED)',
  },
  {
    because: 'the name has several addresses, tried in any order',
    error: Object.assign(new AggregateError([refused('::1'), refused('127.0.0.1')]), { code: 'ECONNREFUSED' }),
    message: 'the connection to 127.0.0.1:5000 and [::1]:5000 is refused (ECONNREFUSED)',
  },
  {
    because: 'the system reports no address',
    error: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
    message: 'the connection is refused (ECONNREFUSED)',
  },
  {
    because: 'a certificate has other names',
    error: wrong({ subjectaltname: 'DNS:a.example, IP Address:10.0.0.7' }),
    message: 'the certificate is for a.example, 10.0.0.7, not for registry.example (ERR_TLS_CERT_ALTNAME_INVALID)',
  },
  {
    because: 'an old certificate has a common name only',
    error: wrong({ subject: { CN: 'old.example' } }),
    message: 'the certificate is for old.example, not for registry.example (ERR_TLS_CERT_ALTNAME_INVALID)',
  },
  {
    because: 'a certificate has no name',
    error: wrong({}),
    message: 'the certificate is for no name at all, not for registry.example (ERR_TLS_CERT_ALTNAME_INVALID)',
  },
  {
    because: 'a hostile certificate has very many names',
    error: wrong({ subjectaltname: Array.from({ length: 1000 }, (_, index) => `DNS:${index}.example`).join(', ') }),
    message:
      'the certificate is for 0.example, 1.example, 2.example, 3.example, 4.example, 995 more names, not for registry.example (ERR_TLS_CERT_ALTNAME_INVALID)',
  },
  {
    because: 'a server answers without TLS',
    error: Object.assign(new Error('write EPROTO … ssl3_get_record:wrong version number'), { code: 'EPROTO' }),
    message: 'the server does not speak TLS (EPROTO)',
  },
  {
    because: 'client and server have no cipher in common',
    error: Object.assign(new Error('write EPROTO … sslv3 alert handshake failure'), { code: 'EPROTO' }),
    message: 'the TLS handshake failed (EPROTO)',
  },
  { because: 'nothing is known', error: new Error('x'), message: 'the connection failed' },
])('the description of a failed connection names addresses and certificate names: $because', ({ error, message }) => {
  expect(describeConnectionFailure(error).message).toBe(message);
});

test.each([
  { code: 'CERT_HAS_EXPIRED', hint: /Renew/, because: 'trust does not help' },
  { code: 'ERR_TLS_CERT_ALTNAME_INVALID', hint: /name/, because: 'trust does not help' },
  { code: 'SELF_SIGNED_CERT_IN_CHAIN', hint: /certificate authority/, because: 'the issuer is unknown' },
  { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', hint: /certificate authority/, because: 'the issuer is unknown' },
])('the remedy for $code fits the cause: $because', ({ code, hint }) => {
  expect(describeConnectionFailure(Object.assign(new Error(), { code })).hint).toMatch(hint);
});
