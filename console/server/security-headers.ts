/** The headers of every answer: scripts of the console alone, no frames, no other site, nothing kept by caches. Pure. */

/** No inline script or style; the only policy for HTML is that of the library that cleans Markdown. */
const CONTENT_SECURITY_POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify',
].join('; ');

/** Of the pages of the login, which have a form and no script. */
export const LOGIN_POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; sandbox allow-forms allow-same-origin allow-top-navigation"; // prettier-ignore

/** Of an icon: even an SVG that is opened by itself runs nothing. */
export const ICON_POLICY = "sandbox; default-src 'none'";

const ALWAYS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cache-control': 'no-store',
};

/** For answers that have no value of their own. @param isSecure Whether browsers reach the console by TLS. */
export function securityHeaders(isSecure: boolean): Readonly<Record<string, string>> {
  return isSecure ? { ...ALWAYS, 'strict-transport-security': 'max-age=31536000' } : ALWAYS;
}
