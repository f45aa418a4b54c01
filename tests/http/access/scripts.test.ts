/**
 * A script is a right (decision 0189): an application gets another authentication script, loses it, or comes with one,
 * by no request of a caller without `internal_application_script_update`; and all else of it stays possible.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { addTemplate } from "#tests/http/templates/support.ts";
import { changes, type Send } from "#tests/support/application-changes.ts";
import { limitedManagers, writes } from "#tests/support/limited-managers.ts";
import { addUser } from "#tests/support/people.ts";
import { type ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const SCOPE = "internal_application_script_update";
const DELETED = "/api/server/v1/deleted-resources";
const password = "a-long-password";
/** May do everything with applications but change scripts; and the same with scripts. */
const [limited, scripter] = [
  { username: "limited", password },
  { username: "scripter", password },
];
const api = world();
const { created, as } = limitedManagers(api);
const admin: Send = (...asked) => api.ask(...asked);

beforeAll(async () => {
  const all = [...new Set(Object.values(operations).map(({ scope }) => scope))];
  const ofApplications = all.filter((scope) => scope.startsWith("internal_application") && scope !== SCOPE);
  await addUser(api.service, { ...limited, scopes: ofApplications });
  await addUser(api.service, { ...scripter, scopes: [...ofApplications, SCOPE] });
});

const steps = [{ id: 1, options: [{ idp: "LOCAL", authenticator: "BasicAuthenticator" }] }];
const FIRST = "var onLoginRequest = function (context) { executeStep(1); };";
const SECOND = `${FIRST} // Another one.`;
const scripted = (script: string) => ({ type: "USER_DEFINED", steps, script });
let count = 0;
const nextName = () => {
  count += 1;
  return `scripted ${count}`;
};
const newId = (script = FIRST) => api.create({ name: nextName(), authenticationSequence: scripted(script) });
const pathOf = (id: string, more = "") => `${APPLICATIONS}/${id}${more}`;
const read = async (id: string) => (await admin("GET", pathOf(id))).body;
const scriptOf = async (id: string): Promise<string | undefined> => (await read(id)).authenticationSequence?.script;
const named = async (name: string): Promise<readonly { readonly id: string }[]> =>
  (await admin("GET", `${APPLICATIONS}?filter=name+eq+${encodeURIComponent(name)}`)).body.applications ?? [];

/** A file with an application, in each format in which files come. */
const formats = { xml: "application/xml", yml: "application/yaml", json: "application/json" } as const;
type Format = keyof typeof formats;
const fileOf = async (id: string, format: Format): Promise<string> =>
  (await admin("GET", pathOf(id, "/exportFile"), { headers: { accept: formats[format] } })).text;
const upload = async (
  method: "POST" | "PUT",
  text: string,
  {
    who,
    format = "xml",
    query = "",
  }: { readonly who: typeof ADMIN | typeof limited; readonly format?: Format; readonly query?: string },
) => {
  const form = new FormData();
  form.set("file", new Blob([text], { type: formats[format] }), `app.${format}`);
  const init = { method, headers: { authorization: basic(who) }, body: form };
  const answer = await fetch(`${api.url}${APPLICATIONS}/import${query}`, init);
  return { status: answer.status, body: JSON.parse((await answer.text()) || "{}") };
};

type Caller = typeof limited;
interface Attempt {
  readonly status: number;
  readonly body: { readonly code?: string; readonly description?: string };
  /** Whether what the request asked for is there. */
  readonly isDone: () => Promise<boolean>;
}
/** A way by which an application comes to another script. */
type Way = (who: Caller, query?: string) => Promise<Attempt>;

const createdAs = (status: number, body: Attempt["body"], name: string): Attempt => ({
  status,
  body,
  isDone: async () => (await named(name)).length === 1,
});

const creates =
  (sequence: object): Way =>
  async (who, query = "") => {
    const name = nextName();
    const { status, body } = await as(who)("POST", `${APPLICATIONS}${query}`, {
      body: { name, authenticationSequence: sequence },
    });
    return createdAs(status, body, name);
  };
const usesTemplate: Way = async (who, query = "") => {
  const name = nextName();
  const application = { name: "a", authenticationSequence: scripted(FIRST) };
  const template = await addTemplate(api, { name: `template of ${name}`, application });
  const path = `${APPLICATIONS}?template=${template}${query.replace("?", "&")}`;
  const { status, body } = await as(who)("POST", path, { body: { name } });
  return createdAs(status, body, name);
};
const imports =
  (format: Format): Way =>
  async (who, query = "") => {
    const donor = await newId();
    const { name } = await read(donor);
    const text = await fileOf(donor, format);
    await admin("DELETE", pathOf(donor));
    const { status, body } = await upload("POST", text, { who, format, query });
    return createdAs(status, body, name);
  };
/** A change of an application with one script into one with another, or with none (`undefined`). */
const changing =
  (next: string | undefined, send: (who: Caller, id: string, query: string) => Promise<Omit<Attempt, "isDone">>): Way =>
  async (who, query = "") => {
    const id = await newId();
    const { status, body } = await send(who, id, query);
    return { status, body, isDone: async () => (await scriptOf(id)) === next };
  };
const patches = (next: string | undefined, sequence: object): Way =>
  changing(next, (who, id, query) =>
    as(who)("PATCH", `${pathOf(id)}${query}`, { body: { authenticationSequence: sequence } }),
  );
const replaces = (next: string | undefined, format: Format): Way =>
  changing(next, async (who, id, query) => {
    const { name } = await read(id);
    const sequence = next === undefined ? { type: "USER_DEFINED", steps } : scripted(next);
    const donor = await api.create({ name: nextName(), authenticationSequence: sequence });
    const donated = await read(donor);
    const text = (await fileOf(donor, format)).replaceAll(donated.name, name);
    return upload("PUT", text, { who, format, query });
  });
const restores = (next: string | undefined): Way =>
  changing(next, async (who, id, query) => {
    for (const script of [next ?? "", FIRST]) {
      await admin("PUT", pathOf(id, "/authenticationSequence/script"), { body: { script } });
    }
    const [, before] = (await admin("GET", pathOf(id, "/history"))).body.records;
    return as(who)("POST", pathOf(id, `/history/${before.version}/restore${query}`));
  });
const restoresDeleted: Way = async (who, query = "") => {
  const id = await newId();
  const { name } = await read(id);
  expect((await admin("DELETE", pathOf(id))).status).toBe(204);
  const { status, body } = await as(who)("POST", `${DELETED}/${id}/restore${query}`);
  return createdAs(status, body, name);
};
const sets = (next: string | undefined): Way =>
  changing(next, (who, id) =>
    as(who)("PUT", pathOf(id, "/authenticationSequence/script"), { body: { script: next ?? "" } }),
  );

/** Every way, by its operation. */
const ways: readonly (readonly [operation: string, how: string, way: Way])[] = [
  ["createApplication", "with a script", creates(scripted(FIRST))],
  ["createApplication", "with a script, which the default sequence keeps", creates({ script: FIRST })],
  ["createApplication", "from a template that has one", usesTemplate],
  ...(["xml", "yml", "json"] as const).flatMap((format) => [
    ["importApplication", `a file with one, ${format}`, imports(format)] as const,
    ["updateApplicationFromFile", `a file with another, ${format}`, replaces(SECOND, format)] as const,
    ["updateApplicationFromFile", `a file without it, ${format}`, replaces(undefined, format)] as const,
  ]),
  ["patchApplication", "another", patches(SECOND, { script: SECOND })],
  ["patchApplication", "another with the steps", patches(SECOND, scripted(SECOND))],
  ["patchApplication", "the default sequence, which has none", patches(undefined, { type: "DEFAULT" })],
  ["restoreApplicationVersion", "a version with another", restores(SECOND)],
  ["restoreApplicationVersion", "a version without it", restores(undefined)],
  ["restoreDeletedResource", "an application with one", restoresDeleted],
  ["updateAuthenticationScript", "another", sets(SECOND)],
  ["updateAuthenticationScript", "none", sets(undefined)],
];

describe("a caller without the scope of scripts", () => {
  test.each(ways)("%s, %s: 403, and nothing happens", async (_operation, _how, way) => {
    const refused = await way(limited);
    expect([refused.status, refused.body.code]).toEqual([403, "403"]);
    expect(refused.body.description).toContain(SCOPE);
    expect(await refused.isDone()).toBe(false);
    const allowed = await way(scripter);
    expect(allowed.status).toBeLessThan(300);
    expect(await allowed.isDone()).toBe(true);
  });

  test.each(ways.filter(([operation]) => operation !== "updateAuthenticationScript"))(
    "%s, %s: its rehearsal is refused, too",
    async (_operation, _how, way) => {
      const refused = await way(limited, "?dryRun=true");
      expect([refused.status, refused.body.code]).toEqual([403, "403"]);
    },
  );

  test("keeps its other work on an application that has one", async () => {
    const id = await newId();
    const before = await read(id);
    const ask = as(limited);
    const kept: readonly object[] = [
      { description: "Another one" },
      { authenticationSequence: before.authenticationSequence },
      { authenticationSequence: { steps: [...steps, { id: 2, options: [{ idp: "LOCAL", authenticator: "totp" }] }] } },
      { authenticationSequence: { script: FIRST } },
      { authenticationSequence: { script: "" } },
      { authenticationSequence: { script: null } },
    ];
    for (const body of kept) {
      const { status, text } = await ask("PATCH", pathOf(id), { body });
      expect([status, text]).toEqual([200, ""]);
      expect(await scriptOf(id)).toBe(FIRST);
    }
    for (const format of ["xml", "yml", "json"] as const) {
      const { status } = await upload("PUT", await fileOf(id, format), { who: limited, format });
      expect([status, await scriptOf(id)]).toEqual([200, FIRST]);
    }
    const [, past] = (await admin("GET", pathOf(id, "/history"))).body.records;
    expect((await ask("POST", pathOf(id, `/history/${past.version}/restore`))).status).toBe(200);
    expect(await scriptOf(id)).toBe(FIRST);
    expect((await ask("DELETE", pathOf(id))).status).toBe(204);
  });

  test("creates, imports and restores applications without one", async () => {
    const [ask, name] = [as(limited), nextName()];
    const blank = { type: "USER_DEFINED", steps, script: " \n" };
    const answer = await ask("POST", APPLICATIONS, { body: { name, authenticationSequence: blank } });
    expect(answer.status).toBe(201);
    const id = answer.headers.get("location")?.split("/").at(-1) ?? "";
    const text = await fileOf(id, "xml");
    await admin("DELETE", pathOf(id));
    expect((await ask("POST", `${DELETED}/${id}/restore`)).status).toBe(200);
    await admin("DELETE", pathOf(id));
    expect((await upload("POST", text, { who: limited })).status).toBe(201);
  });
});

describe("the class is complete:", () => {
  test("each operation that reaches scripts is tried, and sees the scopes of its caller", () => {
    const reaching = Object.entries(operations).filter(([, { does = [], reaches = [] }]) =>
      [...does, ...reaches].includes("update script" as never),
    );
    expect(reaching.map(([id]) => id).sort()).toEqual([...new Set(ways.map(([operation]) => operation))].sort());
    expect(reaching.filter(([, { seesScopes }]) => seesScopes !== true)).toEqual([]);
  });
  // One change of each operation that writes an application: whatever it does, the script is as it was.
  const one = new Map(changes.map((change) => [change.operation, change]));
  test.each(
    writes.flatMap(([id]) => {
      const change = one.get(id);
      return change && id !== "deleteApplication" ? [[id, change] as const] : [];
    }),
  )("%s changes no script without the scope", async (_, { state, send }) => {
    const id = await created(state);
    const path = pathOf(id, "/authenticationSequence/script");
    expect((await admin("PUT", path, { body: { script: FIRST } })).status).toBe(200);
    await send(as(limited), id);
    expect(await scriptOf(id)).toBe(FIRST);
  });
});
