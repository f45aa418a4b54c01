/** How many webhooks and streams there may be, also where many are created at the same time. */
import { beforeAll, describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { allItems } from "#tests/support/protocols.ts";
import { type Ask, world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const AT_ONCE = 40;
const password = "a-long-password";
const other: Ask["as"] = { username: "other", password };

interface Kind {
  readonly path: string;
  readonly most: number;
  readonly refusal: number;
  create(as?: Ask["as"]): ReturnType<typeof ask>;
  ids(as?: Ask["as"]): Promise<string[]>;
  remove(id: string): ReturnType<typeof ask>;
}

let counter = 0;
const kinds: readonly Kind[] = [
  {
    path: "/api/server/v1/webhooks",
    most: 20,
    refusal: 400,
    create() {
      counter += 1;
      const body = {
        endpoint: `https://receiver.example/${counter}`,
        name: `${counter}`,
        eventProfile: { name: "WSO2", uri: "https://schemas.identity.wso2.org/events" },
        channelsSubscribed: ["https://schemas.identity.wso2.org/events/user"],
      };
      return ask("POST", this.path, { body });
    },
    async ids() {
      return (await ask("GET", this.path)).body.webhooks.map(({ id }: { id: string }) => id);
    },
    remove(id) {
      return ask("DELETE", `${this.path}/${id}`);
    },
  },
  {
    path: "/ssf/streams",
    most: 10,
    refusal: 409,
    create(as) {
      return ask("POST", this.path, { body: {}, ...(as && { as }) });
    },
    async ids(as) {
      const { body } = await ask("GET", this.path, { ...(as && { as }) });
      return body.map(({ stream_id }: { stream_id: string }) => stream_id);
    },
    remove(id) {
      return ask("DELETE", `${this.path}?stream_id=${id}`);
    },
  },
];

beforeAll(() => addUser(api.service, { username: "other", password, scopes: ["ssf.manage"] }));

const claims = async () => (await allItems(api.service)).filter(({ SK }) => SK.startsWith("C#"));
const many = (create: () => ReturnType<typeof ask>) =>
  Promise.all(Array.from({ length: AT_ONCE }, async () => (await create()).status));

describe.each(kinds)("the limit of $path", (kind) => {
  test(`holds for ${AT_ONCE} creations at the same time`, async () => {
    const statuses = await many(() => kind.create());
    expect(statuses.filter((status) => status === 201)).toHaveLength(kind.most);
    // A machine that is too busy is no defect.
    expect(statuses.filter((status) => ![201, kind.refusal, 503].includes(status))).toEqual([]);
    expect(await kind.ids()).toHaveLength(kind.most);
  });

  test("has a place for each deleted one, and never for two", async () => {
    const churn = async () => {
      for (let round = 0; round < 3; round += 1) {
        const [id] = await kind.ids();
        if (id !== undefined) expect([204, 404]).toContain((await kind.remove(id)).status);
        expect([201, kind.refusal]).toContain((await kind.create()).status);
        expect((await kind.ids()).length).toBeLessThanOrEqual(kind.most);
      }
    };
    await Promise.all(Array.from({ length: 8 }, churn));
    // What was freed can be taken, up to the limit and not beyond.
    await many(() => kind.create());
    expect(await kind.ids()).toHaveLength(kind.most);
  });

  test("leaves no claim behind", async () => {
    for (const id of await kind.ids()) expect((await kind.remove(id)).status).toBe(204);
    expect(await claims()).toEqual([]);
    expect((await kind.create()).status).toBe(201);
    for (const id of await kind.ids()) await kind.remove(id);
  });
});

test("the streams of one caller leave those of another their places", async () => {
  const [, streams] = kinds;
  if (!streams) throw new Error("no streams");
  const [own, others] = await Promise.all([many(() => streams.create()), many(() => streams.create(other))]);
  const made = (statuses: readonly number[]) => statuses.filter((status) => status === 201).length;
  expect([made(own), made(others)]).toEqual([10, 10]);
  expect([(await streams.ids()).length, (await streams.ids(other)).length]).toEqual([10, 10]);
});
