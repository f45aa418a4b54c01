/** Any application that the API accepts survives export, deletion and import; a failure names its seed. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyApplication, bodyOf, deployment } from "#tests/support/any-application.ts";
import { exported, idIn, upload } from "#tests/support/files.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const RUNS = 15;
const api = world({ deployment });
const { ask } = api;
const PARTS = ["", "/authenticators", "/inbound-protocols/", "/inbound-protocols/oidc", "/inbound-protocols/saml"];
const REST = ["/inbound-protocols/passive-sts", "/inbound-protocols/ws-trust", "/inbound-protocols/any+protocol"];

/** The whole representation of an application, without its id and without trace ids of 404 responses. */
const shownOf = async (id: string): Promise<unknown[]> => {
  const answers = await Promise.all([...PARTS, ...REST].map((part) => ask("GET", `${APPLICATIONS}/${id}${part}`)));
  return answers.map(({ status, body }) =>
    status === 404 ? "not there" : JSON.parse(JSON.stringify(body).replaceAll(id, "id")),
  );
};

const isSecret = (name: string, of: Record<string, unknown>): boolean =>
  name === "clientSecret" || (name === "value" && of.key === "password");
/** Without client secrets and confidential properties. */
const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets).filter((each) => each !== undefined);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value);
  if (members.some(([name]) => name === "value" && isSecret(name, value as Record<string, unknown>))) return undefined;
  return Object.fromEntries(
    members.filter(([name]) => name !== "clientSecret").map(([name, each]) => [name, withoutSecrets(each)]),
  );
};

let made = 0;
let refused = 0;

test("export, deletion and import preserve any application", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(anyApplication, fc.boolean(), fc.boolean(), async (application, hasSecrets, isRevoked) => {
      made += 1;
      const created = await ask("POST", APPLICATIONS, { body: bodyOf(application, made) });
      if (created.status !== 201) {
        refused += 1;
        return;
      }
      const id = idIn(created);
      if (isRevoked) await ask("POST", `${APPLICATIONS}/${id}/inbound-protocols/oidc/revoke`);
      // A state that needs two requests.
      const subject = { useMappedLocalSubject: false };
      if (isRevoked) await ask("PATCH", `${APPLICATIONS}/${id}`, { body: { claimConfiguration: { subject } } });
      const before = await shownOf(id);
      const file = await exported(api, id, `?exportSecrets=${hasSecrets}`);
      await ask("DELETE", `${APPLICATIONS}/${id}`);
      const answer = await upload(api, "POST", file);
      expect([answer.status, answer.text.slice(0, 300)]).toEqual([201, expect.anything()]);
      const again = idIn(answer);
      const after = await shownOf(again);
      if (hasSecrets) expect(after).toEqual(before);
      else expect(withoutSecrets(after)).toEqual(withoutSecrets(before));
      expect(answer.body.notHonoured).toEqual([]);
      // An imported application exports the same file, and the file can replace it.
      expect(await exported(api, again, `?exportSecrets=${hasSecrets}`)).toBe(file);
      expect((await upload(api, "PUT", file)).status).toBe(200);
      expect(await shownOf(again)).toEqual(after);
      await ask("DELETE", `${APPLICATIONS}/${again}`);
    }),
    { numRuns: RUNS },
  );
  expect(refused).toBeLessThan(made / 4);
});
