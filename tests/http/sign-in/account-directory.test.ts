/** The pages of the own account for people of LDAP directories (decisions 0190 and 0192). */
import { afterAll, describe, expect, test } from "vitest";
import { scimOf } from "#tests/support/scim.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { directoryStore, hasSlapd, PEOPLE, SUFFIX, startSlapd } from "#tests/support/slapd.ts";
import { world } from "#tests/support/world.ts";

describe.runIf(hasSlapd)("people of a directory", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const base = `ou=fixed,${SUFFIX}`;
  const fixed = directoryStore(slapd.url, "read_only = true").replace("CORP", "FIXED").replace(PEOPLE, base);
  const stores = `${directoryStore(slapd.url)}${fixed}`;
  const api = world({ deployment: `[account]\ncan_delete = true\n${stores}` });
  const { enter, browser } = signInOf(api);
  const scim = scimOf(api, "wso2");
  afterAll(() => slapd.close());

  const visit = async (username: string) => {
    const page = browser();
    await page.open("/account");
    return { page, shown: await enter(page, { ...PERSON, username }) };
  };

  test("change profile and password where the directory is written to, and cannot delete the account", async () => {
    const { id } = await scim.user({ userName: "CORP/kim", password: PERSON.password });
    const { page, shown } = await visit("CORP/kim");
    expect([shown.title, shown.html.includes("/account/deletion")]).toEqual(["My account", false]);
    await page.open("/account/profile");
    const { action, fields } = page.form("Save");
    expect((await page.post(action, { ...fields, familyName: "Berry" })).html).toContain("Your profile is saved.");
    expect((await scim.read(`/Users/${id}`)).name).toMatchObject({ familyName: "Berry" });
    const refused = await page.open("/account/deletion");
    expect([refused.status, refused.alert]).toEqual([403, expect.stringMatching(/belongs to a directory/)]);
    await page.open("/account/sign-in?task=password");
    await enter(page, { ...PERSON, username: "CORP/kim" });
    const changed = await page.submit({ password: "maple-Tree-4242", repeated: "maple-Tree-4242" });
    expect(changed.html).toContain("Your password is changed.");
  });

  test("are told to go to the directory where it is only read", async () => {
    await slapd.connected(async (client) => {
      await client.add(base, { objectClass: "organizationalUnit", ou: "fixed" });
      const lee = { objectClass: "inetOrgPerson", uid: "lee", cn: "Lee", sn: "Ash", userPassword: PERSON.password };
      await client.add(`uid=lee,${base}`, lee);
    });
    const { page, shown } = await visit("FIXED/lee");
    expect(shown.title).toBe("My account");
    expect(shown.html).toContain("Your profile belongs to a directory that this service only reads.");
    expect(shown.html).not.toContain("/account/profile");
    expect(shown.html).not.toContain("task=password");
    expect((await page.open("/account/profile")).alert).toMatch(/belongs to a directory/);
    await page.open("/account/sign-in?task=password");
    const elsewhere = await enter(page, { ...PERSON, username: "FIXED/lee" });
    expect([elsewhere.status, elsewhere.alert]).toEqual([400, expect.stringMatching(/belongs to a directory/)]);
    expect(elsewhere.html).toContain('<a href="/account">Back to your account</a>');
  });
});
