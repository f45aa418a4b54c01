import { expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";
const { ask } = world();
test("x", async () => {
  const body = { name: "typo", inboundProtocolConfig: {oidc:{grantTypes:["password"]}}, inboundProtocolConfiguration: { oidc: { grantTypes: ["password"], calbackURLs: [], pkce: {x:1} } , saml: null}, claimConfiguration:{claimMappings:[{applicationClaim:"a",localClaim:{uri:"a","ü,":1}}]}};
  const a = await ask("POST", APPLICATIONS+"?temlate=3", { body, headers: {prefer:"handling=strict"} });
  console.log(a.status, a.text, a.headers);
  const b = await ask("POST", APPLICATIONS+"?temlate=3", { body });
  console.log(b.status, b.text, b.headers);
  const c = await ask("POST", "/scim2/Users", { body:{userName:"kim1",Password:"Kim!1234xx", foo:1, name:{givenname:"a",x:1}, emails:[{value:"a@b.c",y:1}], "urn:foo:User":{a:1}} });
  console.log(c.status, c.text, c.headers);
});
