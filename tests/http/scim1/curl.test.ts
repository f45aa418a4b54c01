/** The documented command lines of SCIM 1.1, in their order. */
import { expect, test } from "vitest";
import { curl } from "#tests/support/curl.ts";
import type { Shown } from "#tests/support/scim.ts";
import { CORE, INSTANT } from "#tests/support/scim1.ts";
import { type Answer, world } from "#tests/support/world.ts";

const api = world();
const run = async (line: string, wanted = 200): Promise<Answer> => {
  const answer = await curl(api, line);
  expect(answer.status, `${line}\n${answer.text}`).toBe(wanted);
  return answer;
};
const JSON_TYPE = '--header "Content-Type:application/json"';

test("accepts the documented command lines for users, groups and bulk", async () => {
  // Create a user.
  const created = await run(
    `curl -v -k --user admin:admin --data "{\\"schemas\\":[],\\"name\\":{\\"familyName\\":\\"Perera\\",\\"givenName\\":\\"Nimal\\"},\\"userName\\":\\"nimal\\",\\"password\\":\\"nimal123\\",\\"emails\\":[{\\"primary\\":true,\\"value\\":\\"nimal@home.example\\",\\"type\\":\\"home\\"},{\\"value\\":\\"nimal@work.example\\",\\"type\\":\\"work\\"}]}" ${JSON_TYPE} {base_url}/svc/scim/Users`,
    201,
  );
  const { id } = created.body;
  expect(created.body).toEqual({
    id,
    schemas: [CORE],
    userName: "nimal",
    name: { familyName: "Perera", givenName: "Nimal" },
    active: true,
    emails: [
      { value: "nimal@home.example", type: "home", primary: true },
      { value: "nimal@work.example", type: "work" },
    ],
    meta: {
      created: expect.stringMatching(INSTANT),
      lastModified: expect.stringMatching(INSTANT),
      location: `${api.url}/svc/scim/Users/${id}`,
    },
  });
  const summary = { id, userName: "nimal", meta: created.body.meta };

  // Read it, list users, find it.
  expect((await run(`curl -v -k --user admin:admin {base_url}/svc/scim/Users/${id}`)).body).toEqual(created.body);
  expect((await run("curl -v -k --user admin:admin {base_url}/svc/scim/Users")).body).toMatchObject({
    schemas: [CORE],
    totalResults: 2,
    Resources: [{ userName: "admin" }, summary],
  });
  for (const filter of ["userName+Eq+%22nimal%22", "userName%20Eq%20%22nimal%22", "userName+Eq+%22PRIMARY/nimal%22"]) {
    const found = await run(`curl -v -k --user admin:admin {base_url}/svc/scim/Users?filter=${filter}`);
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [summary] });
  }

  // Replace it, change it.
  const replaced = await run(
    `curl -v -k --user admin:admin -X PUT -d '{"schemas":[],"name":{"familyName":"Perera","givenName":"Nimal"},"userName":"nimal","emails":"nimal@work.example"}' ${JSON_TYPE} {base_url}/svc/scim/Users/${id}`,
  );
  expect(replaced.body.emails).toEqual([{ value: "nimal@work.example" }]);
  const patched = await run(
    `curl -v -k --user admin:admin -X PATCH -d '{"schemas":[],"userName":"nimal","preferredLanguage":"si","meta":{"attributes":["emails"]},"phoneNumbers":[{"value":"0772508354"}]}' ${JSON_TYPE} {base_url}/svc/scim/Users/${id}`,
  );
  expect(patched.body).toMatchObject({ preferredLanguage: "si", phoneNumbers: [{ value: "0772508354" }] });
  expect(patched.body).not.toHaveProperty("emails");

  // The calling user.
  expect((await run("curl -v -k --user admin:admin {base_url}/svc/scim/Users/me")).body.userName).toBe("admin");
  const me = await run(
    `curl -v -k --user admin:admin -X PUT -d '{"schemas":[],"name":{"familyName":"Boss"},"userName":"admin"}' ${JSON_TYPE} {base_url}/svc/scim/Users/me`,
  );
  expect(me.body.name).toEqual({ familyName: "Boss" });
  await run(`curl -v -k --user nimal:nimal123 {base_url}/svc/scim/Users/me`, 403);

  // Groups.
  const group = await run(
    `curl -v -k --user admin:admin --data '{"displayName": "engineer","members": [{"value":"${id}","display": "nimal"}]}' ${JSON_TYPE} {base_url}/svc/scim/Groups`,
    201,
  );
  expect(group.body).toMatchObject({ displayName: "PRIMARY/engineer", members: [{ value: id, display: "nimal" }] });
  const listed = [{ id: group.body.id, displayName: "PRIMARY/engineer", meta: group.body.meta }];
  for (const filter of [
    "displayName+Eq+%22engineer%22",
    "displayNameEqengineer",
    "displayNameEqPRIMARY/engineer",
    "displayNameEq*gine*",
    "displayName+Eq+%22*neer%22",
  ]) {
    const found = await run(`curl -v -k --user admin:admin {base_url}/svc/scim/Groups?filter=${filter}`);
    expect(found.body, filter).toMatchObject({ schemas: [CORE], totalResults: 1, Resources: listed });
  }
  const renamed = await run(
    `curl -v -k --user admin:admin -X PATCH -d '{"displayName": "doctors"}' ${JSON_TYPE} {base_url}/svc/scim/Groups/${group.body.id}`,
  );
  expect(renamed.body).toMatchObject({ displayName: "PRIMARY/doctors", members: [{ value: id }] });

  // Bulk.
  const user = (userName: string) => {
    const own = `"path":"/Users","method":"POST","bulkId":"${userName}"`;
    return `{${own},"data":{"schemas":["urn:scim:schemas:core:1.0"],"userName":"${userName}","password":"krisp123","name":{"familyName":"F","givenName":"G"},"phoneNumbers":[{"value":"0772202595"}],"emails":[{"value":"g@example.com"}],${own}}}`;
  };
  const bulk = await run(
    `curl -v -k --user admin:admin --data '{"failOnErrors":1,"schemas":["urn:scim:schemas:core:1.0"],"Operations":[${user("kris")},${user("jesse")}]}' ${JSON_TYPE} {base_url}/svc/scim/Bulk`,
  );
  expect(bulk.body).toEqual({
    schemas: [CORE],
    Operations: ["kris", "jesse"].map((bulkId) => ({
      location: expect.stringMatching(/\/svc\/scim\/Users\/[0-9a-f-]{36}$/),
      method: "POST",
      bulkId,
      status: { code: "201" },
    })),
  });

  // Deletion.
  await run(
    `curl -v -k --user admin:admin -X DELETE {base_url}/svc/scim/Groups/${group.body.id} -H "Accept: application/json"`,
  );
  await run(`curl -v -k --user admin:admin -X DELETE {base_url}/svc/scim/Users/${id} -H "Accept: application/json"`);
  const gone = await run(`curl -v -k --user admin:admin {base_url}/svc/scim/Users/${id}`, 404);
  expect((gone.body as Shown).Errors).toHaveLength(1);
});

test("rejects a body that is not declared as JSON, and names the type to send", async () => {
  const answer = await run(
    `curl -v -k --user admin:admin --data '{"displayName":"x"}' {base_url}/svc/scim/Groups`,
    415,
  );
  expect(answer.body.Errors[0].description).toContain("application/json");
});
