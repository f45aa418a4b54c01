/** Which roles give scopes in tokens of an application: `associatedRoles` (decision 0075). */
import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "#core/kernel/ids.ts";
import { exported, fileOf, idIn, upload } from "#tests/support/files.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const { newClient, token } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const CREATE = "internal_application_mgt_create";
const UPDATE = "internal_application_mgt_update";
const ALL = `${VIEW} ${CREATE} ${UPDATE}`;
const password = "a good password";

let user: string;
let client: TestClient;
/** Roles with one scope each, which the user has. */
let [ofTenant, another, ofApplication] = ["", "", ""];

const addRole = async (displayName: string, scope: string, audience?: object): Promise<string> => {
  const { status, body, text } = await ask("POST", "/scim2/v2/Roles", {
    body: { displayName, permissions: [{ value: scope }], users: [{ value: user }], ...(audience && { audience }) },
  });
  if (status !== 201) throw new Error(text);
  return body.id;
};
const tokenOf = (of: TestClient, scope = ALL) =>
  token(of, { grant_type: "password", username: "kim", password, scope });
const granted = async (of: TestClient = client) => (await tokenOf(of)).scope;
const patch = (associatedRoles: unknown, id = client.applicationId) =>
  ask("PATCH", `${APPLICATIONS}/${id}`, { body: { associatedRoles } });
const shown = async (id = client.applicationId) => (await ask("GET", `${APPLICATIONS}/${id}`)).body.associatedRoles;

beforeAll(async () => {
  user = await addUser(api.service, { username: "kim", password });
  client = await newClient([VIEW, CREATE, UPDATE]);
  ofTenant = await addRole("drivers", VIEW);
  another = await addRole("riders", CREATE);
  const audience = { type: "application", value: client.applicationId };
  ofApplication = await addRole("of the application", UPDATE, audience);
});

describe("the roles of an application", () => {
  test("are all of the tenant and its own by default", async () => {
    expect(await shown()).toEqual({ allowedAudience: "ORGANIZATION" });
    expect(await granted()).toBe(ALL);
  });
  test("with the audience APPLICATION, roles of the tenant do not count", async () => {
    expect((await patch({ allowedAudience: "APPLICATION" })).status).toBe(200);
    expect(await shown()).toEqual({ allowedAudience: "APPLICATION" });
    expect(await granted()).toBe(UPDATE);
    expect((await patch({ allowedAudience: "APPLICATION", roles: [{ id: ofApplication }] })).status).toBe(200);
    expect(await granted()).toBe(UPDATE);
  });
  test("only the listed roles count", async () => {
    expect((await patch({ allowedAudience: "ORGANIZATION", roles: [{ id: another }] })).status).toBe(200);
    expect(await granted()).toBe(CREATE);
    const roles = [{ id: another }, { id: ofApplication }];
    expect((await patch({ allowedAudience: "ORGANIZATION", roles })).status).toBe(200);
    expect(await granted()).toBe(`${CREATE} ${UPDATE}`);
    expect((await patch({ allowedAudience: "ORGANIZATION" })).status).toBe(200);
    expect(await granted()).toBe(ALL);
  });
  test("are shown with the names that they have", async () => {
    const roles = [{ id: ofTenant, name: "another name" }];
    expect((await patch({ allowedAudience: "ORGANIZATION", roles })).status).toBe(200);
    expect(await shown()).toEqual({ allowedAudience: "ORGANIZATION", roles: [{ id: ofTenant, name: "drivers" }] });
    const { body } = await ask("GET", `${APPLICATIONS}?attributes=associatedRoles`);
    const [listed] = body.applications.filter(({ id }: { id: string }) => id === client.applicationId);
    expect(listed.associatedRoles).toEqual(await shown());
    await patch({ allowedAudience: "ORGANIZATION" });
  });
  test("are given to a new application, too", async () => {
    const id = await create({
      name: "With a role",
      associatedRoles: { allowedAudience: "ORGANIZATION", roles: [{ id: ofTenant }] },
    });
    expect((await shown(id)).roles).toEqual([{ id: ofTenant, name: "drivers" }]);
  });
  test("that are taken away end the tokens of the client at once; that are added do not", async () => {
    const { access_token, refresh_token } = await tokenOf(client);
    const lets = async () => (await ask("GET", APPLICATIONS, { as: `Bearer ${access_token}` })).status;
    await patch({ allowedAudience: "ORGANIZATION", roles: [{ id: ofTenant }, { id: another }, { id: ofApplication }] });
    expect(await lets()).toBe(401);
    const later = await tokenOf(client);
    await patch({ allowedAudience: "ORGANIZATION" });
    expect((await ask("GET", APPLICATIONS, { as: `Bearer ${later.access_token}` })).status).toBe(200);
    const refused = await token(client, { grant_type: "refresh_token", refresh_token }).catch(() => "refused");
    expect(refused).toBe("refused");
  });
});

describe("400 with the place in the body", () => {
  const refuse = async (associatedRoles: unknown) => {
    const before = await shown();
    const { status, body } = await patch(associatedRoles);
    expect([status, body.code]).toEqual([400, "APP-60001"]);
    expect(body.description).toMatch(/^associatedRoles\.roles\[[01]\]: no role with the id/);
    expect(await shown()).toEqual(before);
  };
  test("for a role that does not exist", () =>
    refuse({ allowedAudience: "ORGANIZATION", roles: [{ id: ofTenant }, { id: newId() }] }));
  test("for a role of the tenant with the audience APPLICATION", () =>
    refuse({ allowedAudience: "APPLICATION", roles: [{ id: ofTenant }] }));
  test("for a role of another application", async () => {
    const other = await newClient();
    const audience = { type: "application", value: other.applicationId };
    const foreign = await addRole("of another application", VIEW, audience);
    await refuse({ allowedAudience: "ORGANIZATION", roles: [{ id: foreign }] });
    await refuse({ allowedAudience: "APPLICATION", roles: [{ id: foreign }] });
  });
  test("for a new application, which is not created", async () => {
    const body = {
      name: "No such role",
      associatedRoles: { allowedAudience: "ORGANIZATION", roles: [{ id: newId() }] },
    };
    const answer = await ask("POST", APPLICATIONS, { body });
    expect([answer.status, answer.body.code]).toEqual([400, "APP-60001"]);
    expect((await ask("GET", `${APPLICATIONS}?filter=name+eq+No such role`)).body.totalResults).toBe(0);
  });
  test("without an audience", async () => {
    const { status, body } = await patch({ roles: [{ id: ofTenant }] });
    expect([status, body.description]).toEqual([400, "body.associatedRoles.allowedAudience is required."]);
  });
});

describe("a file", () => {
  const config = (audience: string, ...roles: readonly (readonly [id: string, name: string])[]) => {
    const list = roles.map(([id, name]) => `<AssociatedRole><Id>${id}</Id><Name>${name}</Name></AssociatedRole>`);
    return `<AssociatedRolesConfig><AllowedAudience>${audience}</AllowedAudience><AssociatedRoles>${list.join("")}</AssociatedRoles></AssociatedRolesConfig>`;
  };
  const imported = (name: string, extra: string, method: "POST" | "PUT" = "POST") =>
    upload(api, method, fileOf({ name, extra }));

  test("keeps the roles through export and import, and a second export is the same", async () => {
    const roles = [{ id: ofTenant }, { id: another }];
    const id = await create({ name: "Exported roles", associatedRoles: { allowedAudience: "ORGANIZATION", roles } });
    const file = await exported(api, id);
    expect(file).toMatch(/<AllowedAudience>ORGANIZATION<\/AllowedAudience>/);
    const copy = await upload(api, "POST", file.replaceAll("Exported roles", "Imported roles"));
    expect(copy.body.notHonoured).toEqual([]);
    expect(await shown(idIn(copy))).toEqual(await shown(id));
    expect(await exported(api, idIn(copy))).toBe(file.replaceAll("Exported roles", "Imported roles"));
    const replaced = await upload(api, "PUT", file);
    expect([replaced.status, await shown(id)]).toEqual([200, await shown(idIn(copy))]);
  });
  test("of another server finds the roles by their names", async () => {
    const answer = await imported("By name", config("organization", [newId(), "Drivers"], ["", "riders"]));
    expect([answer.status, answer.body.notHonoured]).toEqual([201, []]);
    expect(await shown(idIn(answer))).toEqual({
      allowedAudience: "ORGANIZATION",
      roles: [
        { id: ofTenant, name: "drivers" },
        { id: another, name: "riders" },
      ],
    });
  });
  test("with an unknown role of the tenant is refused: without it, others would count", async () => {
    const answer = await imported("Unknown role", config("ORGANIZATION", [newId(), "pilots"]));
    expect([answer.status, answer.body.description]).toEqual([
      400,
      "AssociatedRolesConfig: the tenant has no role 'pilots'. Create it, or remove it from the file.",
    ]);
  });
  test("with roles of the application itself is imported without them, and says so", async () => {
    const answer = await imported("Own roles", config("APPLICATION", [newId(), "captain"]));
    expect([answer.status, await shown(idIn(answer))]).toEqual([201, { allowedAudience: "APPLICATION" }]);
    expect(answer.body.notHonoured).toEqual([
      {
        element: "AssociatedRolesConfig/AssociatedRoles/AssociatedRole",
        reason: "Has no effect in this service. An export contains it again.",
      },
    ]);
  });
  test("without a known role of an application that has roles is refused: all of them would count", async () => {
    const answer = await imported("Has roles", config("APPLICATION"));
    const captain = await addRole("captain", UPDATE, { type: "application", value: idIn(answer) });
    const file = (...names: readonly string[]) =>
      config("APPLICATION", ...names.map((name): [string, string] => [newId(), name]));
    expect((await imported("Has roles", file("captain"), "PUT")).status).toBe(200);
    const refused = await imported("Has roles", file("capitan"), "PUT");
    expect([refused.status, refused.body.description]).toEqual([
      400,
      "AssociatedRolesConfig: the application has no role 'capitan'. Create it, or remove it from the file.",
    ]);
    expect((await imported("Has roles", file("captain", "capitan"), "PUT")).status).toBe(200);
    const roles = [{ id: captain, name: "captain" }];
    expect(await shown(idIn(answer))).toEqual({ allowedAudience: "APPLICATION", roles });
  });
  test("without roles means all of its audience, and without the element the default", async () => {
    const answer = await imported("No roles", config("APPLICATION"));
    expect(await shown(idIn(answer))).toEqual({ allowedAudience: "APPLICATION" });
    await imported("No roles", "", "PUT");
    expect(await shown(idIn(answer))).toEqual({ allowedAudience: "ORGANIZATION" });
  });
  test("with another audience is 400", async () => {
    expect((await imported("Wrong audience", config("EVERYONE"))).status).toBe(400);
  });
});
