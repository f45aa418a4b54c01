/**
 * Security headers of every response of an API: HSTS, nosniff, no referrer, and a policy that allows nothing. Headers
 * that only web pages need are left out.
 *
 * They are constants and not `@middy/http-security-headers`, which loads `node:http` as an ES module: Node.js then
 * loads its fetch client too, a quarter of the processor time of a cold start (decision 0074).
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; report-to default; " +
    "require-trusted-types-for 'script'; sandbox; upgrade-insecure-requests",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
  "X-Content-Type-Options": "nosniff",
};
