/** What proofs of possession are about, from the event of the gateway. */
import { expect, test } from "vitest";
import { type EventHead, sentRequest } from "#core/http/request.ts";

const eventBy = (domainName: string, more: Record<string, unknown> = {}): EventHead => ({
  rawPath: "/t/acme.com/scim2/Users",
  rawQueryString: "count=1",
  headers: { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" },
  requestContext: { domainName, http: { method: "GET", sourceIp: "192.0.2.1" }, ...more },
});

test("the whole path, and the domain of the gateway where the stage has no address; never a header", () => {
  expect(sentRequest(eventBy("abc.execute-api.example"), undefined)).toEqual({
    method: "GET",
    origins: ["https://abc.execute-api.example"],
    path: "/t/acme.com/scim2/Users",
  });
});
test("the address of the stage, and the domain that the request came by, where it is another one", () => {
  const base = "https://id.example";
  expect(sentRequest(eventBy("id.example"), base).origins).toEqual([base]);
  expect(sentRequest(eventBy("mtls.id.example"), base).origins).toEqual([base, "https://mtls.id.example"]);
});
test("the scheme of the address, for the local service", () => {
  expect(sentRequest(eventBy("127.0.0.1:3000"), "http://127.0.0.1:3000").origins).toEqual(["http://127.0.0.1:3000"]);
});
test("the certificate of the handshake", () => {
  const certified = eventBy("id.example", { authentication: { clientCert: { clientCertPem: "PEM" } } });
  expect(sentRequest(certified, undefined).certificate).toBe("PEM");
  expect(sentRequest(eventBy("id.example", { authentication: null }), undefined)).not.toHaveProperty("certificate");
});
