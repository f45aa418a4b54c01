/** Photos as `data:` URIs of a hundred kilobytes: stored, shown, recorded and restored; more is 400. */
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { fresh, NEGOTIATED, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const photo = (bytes = 100_000): string => `data:image/jpeg;base64,${randomBytes(bytes).toString("base64")}`;
const valuesOf = ({ photos }: Shown) => photos.map(({ value }: Shown) => value);

test("a user keeps a photo of 100 kB in create, replace, PATCH and SCIM 1.1, and its history", async () => {
  const [first, second, third, fourth] = [photo(), photo(), photo(), photo()];
  const userName = fresh("pictured");
  const user = await scim.user({ userName, photos: [{ value: first, type: "photo" }] });
  const path = `/Users/${user.id}`;
  expect(valuesOf(await scim.read(path))).toEqual([first]);
  const put = await scim.ask("PUT", path, { body: { schemas: [URN.user], userName, photos: [{ value: second }] } });
  expect([put.status, valuesOf(put.body)]).toEqual([200, [second]]);
  const value = [{ value: third, type: "photo" }];
  const patched = await scim.ask("PATCH", path, {
    body: { schemas: [URN.patch], Operations: [{ op: "replace", path: "photos", value }] },
  });
  expect([patched.status, valuesOf(patched.body)]).toEqual([200, [third]]);
  const body = { userName, photos: [{ value: fourth, type: "photo" }] };
  const old = await api.ask("PUT", `/svc/scim/Users/${user.id}`, { body });
  expect(old.status, old.text.slice(0, 300)).toBe(200);
  expect(valuesOf((await api.ask("GET", `/svc/scim/Users/${user.id}`)).body)).toContain(fourth);
  const found = await scim.ask("GET", `/Users?filter=userName+eq+"${userName}"`);
  expect(valuesOf(found.body.Resources[0])).toContain(fourth);
  // A page holds as many changes as fit.
  const versions: string[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page = await api.ask("GET", `/scim2${path}/history?limit=20${after && `&after=${after}`}`);
    expect(page.status, page.text.slice(0, 300)).toBe(200);
    versions.push(...page.body.records.map(({ version }: Shown) => version));
    after = page.body.next;
  }
  expect(versions).toHaveLength(4);
  const restored = await api.ask("POST", `/scim2${path}/history/${versions.at(-1)}/restore`);
  expect([restored.status, valuesOf(await scim.read(path))], restored.text.slice(0, 300)).toEqual([200, [first]]);
  expect((await scim.ask("DELETE", path)).status).toBe(204);
});

test("more than 150,000 characters, and photos that do not fit one user, are 400 that says where", async () => {
  const schemas = [URN.user];
  const long = { schemas, userName: fresh("long"), photos: [{ value: "p" }, { value: photo(120_000) }] };
  expect(refusal(await scim.ask("POST", "/Users", { body: long }), 400, "invalidValue")).toContain(
    "photos[1].value has more than 150,000 characters",
  );
  const several = { schemas, userName: fresh("several"), photos: [{ value: photo() }, { value: photo() }] };
  expect(refusal(await scim.ask("POST", "/Users", { body: several }), 400, "invalidValue")).toMatch(
    /^The user has \d+ bytes; at most 250000 can be stored\.$/,
  );
});
