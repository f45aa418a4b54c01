/**
 * Every operation that writes is called in two tenants, and people sign in there: no partition is written by both,
 * except those that are declared here with their rate (decision 0179). A partition serves 1,000 write units a second,
 * so what all tenants write is a limit of the whole stage.
 */
import { beforeAll, expect, test, vi } from "vitest";
import { HttpTransport } from "#core/database/table/client/transport.ts";
import { type OperationId, operations } from "#core/service/catalogue.ts";
import { signInOf } from "#tests/support/sign-in.ts";
import { type Answer, APPLICATIONS, type Ask, type World, world } from "#tests/support/world.ts";
import { ALWAYS, type Caller, type Sent } from "#tools/operation-units/caller.ts";
import { changes } from "#tools/operation-units/calls.ts";
import { createFixture, PASSWORD } from "#tools/operation-units/fixture.ts";

const api = world({ delivers: true });
const TENANTS = ["first.example", "second.example"] as const;
const units = { roundTrips: 0, readUnits: 0, writeUnits: 0 };
/** Only the super tenant has tenants. */
const OF_TENANTS = /tenant/i;
/** Longer than a delivery waits for new work. */
const QUIET_MS = 500;
/** How long an attempt to tell an application may take. */
const TOLD = { timeout: 20_000, interval: 100 };

/** Partitions that several tenants write: how often at most, and why that is no limit of a stage. */
const DECLARED: readonly { readonly partition: RegExp; readonly rate: string; readonly reason: string }[] = [
  {
    partition: /^G#TENANTS$/,
    rate: "3 units for each tenant that is created, changed or deleted",
    reason: "the list of tenants, which the super tenant alone changes",
  },
  {
    partition: /^T#carbon\.super#LOG#\d$/,
    rate: "2 units for each change of a tenant by the super tenant, in eight partitions",
    reason: "its records of what it did with other tenants",
  },
  {
    partition: /^G#SUBS$/,
    rate: "1 unit for each new receiver, and one a minute for each tenant with receivers and changes",
    reason: "which tenants have receivers, and when the delivery looks at them",
  },
  {
    partition: /^G#OUTS$/,
    rate: "2 units a run of the delivery for a tenant of which work is left, and none where a time is noted that comes sooner",
    reason: "the tenants whose applications could not be told yet that a session has ended",
  },
];

/** The partitions that each tenant wrote, with one of the calls that did. */
const written = new Map<string, Map<string, string>>(TENANTS.map((tenant) => [tenant, new Map()]));
let current: { readonly tenant: string; by: string } | undefined;

interface Keyed {
  readonly PK?: { readonly S?: string };
}
type Write = Readonly<Record<string, { readonly Item?: Keyed; readonly Key?: Keyed }>>;

/** The partitions of a call that writes, or has conditions: both take write units. */
const partitionsOf = (target: string, text: string): readonly string[] => {
  const body = JSON.parse(text) as { Item?: Keyed; Key?: Keyed; TransactItems?: readonly Write[] };
  const single = /\.(?:Put|Update|Delete)Item$/.test(target) ? [body.Item ?? body.Key] : [];
  const many = /\.TransactWriteItems$/.test(target)
    ? (body.TransactItems ?? []).flatMap((step) => Object.values(step).map(({ Item, Key }) => Item ?? Key))
    : [];
  return [...single, ...many].map((key) => key?.PK?.S ?? "");
};

const listen = (): (() => void) => {
  const { send } = HttpTransport.prototype;
  HttpTransport.prototype.send = function (call) {
    for (const partition of current ? partitionsOf(String(call.headers["x-amz-target"]), call.body) : []) {
      // The delivery goes on with what waits in the first tenant while the second one is called.
      const owner = TENANTS.find((tenant) => partition.startsWith(`T#${tenant}#`)) ?? current?.tenant ?? "";
      written.get(owner)?.set(partition, current?.by ?? "");
    }
    return send.call(this, call);
  };
  return () => {
    HttpTransport.prototype.send = send;
  };
};

const payloadOf = ({ body, form, file }: Sent): Ask => {
  if (form) {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return { raw: new URLSearchParams(form).toString(), headers };
  }
  if (file === undefined) return body === undefined ? {} : { body };
  const head = 'Content-Disposition: form-data; name="file"; filename="a.xml"\r\nContent-Type: application/xml';
  return {
    raw: `--b\r\n${head}\r\n\r\n${file}\r\n--b--\r\n`,
    headers: { "content-type": "multipart/form-data; boundary=b" },
  };
};

const ownerOf = (tenant: string) => ({ username: `boss@${tenant}`, password: PASSWORD });

/** Sends a call of the data set in a tenant. Users of the data set sign in with the name of their tenant. */
const send = (tenant: string, id: OperationId, given: Sent): Promise<Answer> => {
  // The tenants that the data set creates are others for each tenant.
  const ours = JSON.stringify(given).replaceAll(/(taxi|new)\.example/g, `$1-${tenant}`);
  const sent = JSON.parse(ours.replaceAll('"userName":"admin"', '"userName":"boss"')) as Sent;
  const { method = "", path: template = "", scope } = operations[id] ?? {};
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(sent.params?.[name] ?? ""));
  const isOfSuper = template.includes("/tenants") || OF_TENANTS.test(String(scope));
  const { as } = sent;
  const own = as && (as.username.startsWith("driver-") ? { ...as, username: `${as.username}@${tenant}` } : as);
  const caller = own ?? (isOfSuper ? undefined : ownerOf(tenant));
  return api.ask(method, sent.query ? `${path}?${sent.query}` : path, {
    ...payloadOf(sent),
    ...(caller && { as: caller }),
  });
};

const received = (answer: Answer) => ({
  status: answer.status,
  id: answer.headers.get("location")?.split("/").at(-1) ?? "",
  body: answer.body ?? {},
  units,
});

const problems: string[] = [];

/** Calls everything in a tenant. */
const callAll = async (tenant: string): Promise<void> => {
  const at = { tenant, by: "the data set" };
  current = at;
  const caller: Caller = async (id, sent = {}) => {
    const answer = await send(tenant, id, sent);
    if (answer.status >= 300) throw new Error(`${id} in ${tenant} returned ${answer.status}: ${answer.text}`);
    return received(answer);
  };
  const fixture = await createFixture(caller);
  const made = new Map<OperationId, Readonly<Record<string, unknown>>>();
  for (const [id, call] of changes(fixture)) {
    at.by = id;
    const answer = await send(tenant, id, typeof call === "function" ? call((of) => made.get(of) ?? {}) : call);
    made.set(id, received(answer).body);
    if (answer.status >= 300 && answer.status !== ALWAYS[id]) problems.push(`${id} in ${tenant}: ${answer.text}`);
  }
};

/** People sign in, and changes of their accounts end their sessions. */
const signInAndOut = async (tenant: string): Promise<void> => {
  const at = { tenant, by: "a sign-in" };
  current = at;
  const ask: World["ask"] = (method, path, of = {}) => api.ask(method, path, { as: ownerOf(tenant), ...of });
  const create: World["create"] = async (body) => received(await ask("POST", APPLICATIONS, { body })).id;
  const inTenant: World = { url: api.url, service: api.service, ask, create };
  const { newApplication, requestOf, answerOf, redeem, browser, enter } = signInOf(inTenant);
  // It does not exist: what it is told waits for another attempt.
  const client = await newApplication({ logout: { backChannelLogoutUrl: "https://receiver.example/logout" } });
  for (const end of ["PATCH", "DELETE"]) {
    const name = `${end.toLowerCase()}-${tenant.split(".")[0]}`;
    const created = await inTenant.ask("POST", "/scim2/Users", {
      body: { userName: name, password: PASSWORD, name: { familyName: "Kim" } },
    });
    at.by = "a sign-in";
    const tab = browser();
    await tab.open(requestOf(client));
    const { code } = answerOf(await enter(tab, { username: name, password: PASSWORD }));
    const { status, text } = await redeem(client, code);
    if (status !== 200) problems.push(`a sign-in in ${tenant}: ${text}`);
    at.by = `${end} of a person with a session`;
    const body = { Operations: [{ op: "replace", value: { password: `${PASSWORD}-2` } }] };
    const ended = await inTenant.ask(end, `/scim2/Users/${created.body.id}`, end === "PATCH" ? { body } : {});
    if (ended.status >= 300) problems.push(`${at.by} in ${tenant}: ${ended.text}`);
    await new Promise((done) => setTimeout(done, QUIET_MS));
  }
  await vi.waitFor(() => expect([...(written.get(tenant)?.keys() ?? [])]).toContain("G#OUTS"), TOLD);
};

beforeAll(async () => {
  for (const tenant of TENANTS) {
    const owners = [{ username: "boss", password: PASSWORD }];
    const { status, text } = await api.ask("POST", "/api/server/v1/tenants", { body: { domain: tenant, owners } });
    if (status !== 201) throw new Error(text);
  }
  const end = listen();
  try {
    for (const tenant of TENANTS) {
      await callAll(tenant);
      await signInAndOut(tenant);
      await new Promise((done) => setTimeout(done, QUIET_MS));
    }
  } finally {
    end();
  }
}, 180_000);

const shared = (): readonly string[] => {
  const [first, second] = TENANTS.map((tenant) => written.get(tenant) ?? new Map<string, string>());
  return [...(first?.keys() ?? [])].filter((partition) => second?.has(partition));
};

test("every call succeeds in both tenants", () => {
  expect(problems).toEqual([]);
});

test("no partition is written by two tenants that is not declared", () => {
  const undeclared = shared().filter((key) => !DECLARED.some(({ partition }) => partition.test(key)));
  expect(undeclared.map((key) => `${key}: ${written.get(TENANTS[0])?.get(key)}`)).toEqual([]);
});

test("what is declared is written by both", () => {
  const found = shared();
  const unused = DECLARED.filter(({ partition }) => !found.some((key) => partition.test(key)));
  expect(unused.map(({ reason }) => reason)).toEqual([]);
});

test("sessions that an account ends are noted in the tenant of the user", () => {
  for (const tenant of TENANTS) expect([...(written.get(tenant)?.keys() ?? [])]).toContain(`T#${tenant}#OUT`);
});
