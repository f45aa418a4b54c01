import { describe, expect, test } from "vitest";
import { exported, idIn, MULTIPART_TYPE, multipart } from "#tests/support/files.ts";
import { addUser } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const exportFile = (id: string, accept: string | undefined, query = "") =>
  ask("GET", `${APPLICATIONS}/${id}/exportFile${query}`, { headers: accept === undefined ? {} : { accept } });
const upload = (method: "POST" | "PUT", content: string, mediaType: string, fileName: string) => {
  const headers = `Content-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: ${mediaType}`;
  return ask(method, `${APPLICATIONS}/import`, {
    raw: multipart({ content, headers }),
    headers: { "content-type": MULTIPART_TYPE },
  });
};
const body = (name: string) => ({
  name,
  description: 'yes: "no" & <none>\n#1',
  inboundProtocolConfiguration: {
    oidc: {
      clientId: `client-${name}`,
      clientSecret: "a-secret-of-mine-7Qx2vLr9",
      grantTypes: ["authorization_code", "refresh_token"],
      callbackURLs: ["https://a.example/cb", "https://b.example/cb"],
    },
    saml: { manualConfiguration: { issuer: `issuer-${name}`, assertionConsumerUrls: ["https://a.example/acs"] } },
  },
  claimConfiguration: {
    dialect: "CUSTOM",
    claimMappings: [{ applicationClaim: "mail", localClaim: { uri: "http://wso2.org/claims/emailaddress" } }],
  },
});

describe.each([
  ["application/xml", "xml", /^<\?xml/],
  ["application/yaml", "yml", /^!!org\.wso2\.carbon\.identity\.application\.common\.model\.ServiceProvider\n/],
  ["application/json", "json", /^\{\n/],
])("%s", (mediaType, extension, beginning) => {
  test("is exported, imported under another name, and exported again the same", async () => {
    const name = `moving-${extension}`;
    const id = await create(body(name));
    const answer = await exportFile(id, mediaType, "?exportSecrets=true");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/octet-stream");
    expect(answer.headers.get("content-disposition")).toContain(`filename="${name}.${extension}"`);
    expect(answer.text).toMatch(beginning);
    expect(answer.text).toContain("a-secret-of-mine-7Qx2vLr9");
    const xml = await exported(api, id, "?exportSecrets=true");
    await ask("DELETE", `${APPLICATIONS}/${id}`);
    const made = await upload("POST", answer.text, mediaType, `${name}.${extension}`);
    expect(made.status).toBe(201);
    expect(await exported(api, idIn(made), "?exportSecrets=true")).toBe(xml);
    expect((await exportFile(idIn(made), mediaType, "?exportSecrets=true")).text).toBe(answer.text);
    const replaced = await upload("PUT", answer.text, "application/octet-stream", `${name}.${extension}`);
    expect(replaced.status).toBe(200);
    expect((await exportFile(idIn(made), mediaType, "?exportSecrets=true")).text).toBe(answer.text);
  });

  test("leaves secrets out by default, and for callers without their scope", async () => {
    const id = await create(body(`shy-${extension}`));
    expect((await exportFile(id, mediaType)).text).not.toContain("a-secret-of-mine");
    const as = { username: `looker-${extension}`, password: "a long enough password" };
    await addUser(api.service, { ...as, scopes: ["internal_application_mgt_view"] });
    const path = `${APPLICATIONS}/${id}/exportFile?exportSecrets=true`;
    const { status, text } = await ask("GET", path, { as, headers: { accept: mediaType } });
    expect(status).toBe(200);
    expect(text).not.toContain("a-secret-of-mine");
  });
});

test("tools find the word null where a secret is left out", async () => {
  const id = await create(body("without"));
  expect((await exportFile(id, "application/yaml")).text).toMatch(/\n +oauthConsumerSecret: null\n/);
});

test.each([
  [undefined, "xml"],
  ["*/*", "xml"],
  ["application/json;q=0, text/yaml", "yml"],
  ["text/html, application/x-yaml;q=0.5", "yml"],
])("Accept: %s gives %s", async (accept, extension) => {
  const id = await create({ name: `accepts-${Math.random().toString(36).slice(2)}` });
  expect((await exportFile(id, accept)).headers.get("content-disposition")).toMatch(new RegExp(`\\.${extension}"`));
});

describe("refuses", () => {
  test("a type that no file has", async () => {
    const id = await create({ name: "picky" });
    const { status, body: problem } = await exportFile(id, "text/html");
    expect([status, problem.description]).toEqual([406, expect.stringContaining("application/yaml")]);
  });
  test("an unknown application", async () => {
    expect((await exportFile("none", "application/json")).status).toBe(404);
  });
  test.each([
    ["application/yaml", "a: [", "not YAML"],
    ["application/json", "{", "not JSON"],
    ["application/json", '{"applicationName": "a", "saasApp": "perhaps"}', ""],
    ["application/yaml", "description: x", ""],
  ])("%s %j", async (mediaType, content, reason) => {
    const { status, body: problem } = await upload("POST", content, mediaType, "x");
    expect([status, problem.code]).toEqual([400, "APP-60001"]);
    expect(problem.description).toContain(reason);
  });
});
