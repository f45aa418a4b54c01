/** Users without passwords, made over HTTP for tests of large groups. */
import type { Client } from "./client.ts";

const AT_ONCE = 16;

/** Creates users named `<prefix>-0` and so on, and returns their ids in that order. */
export const addPeople = async (client: Client, prefix: string, count: number): Promise<readonly string[]> => {
  const ids: string[] = Array.from({ length: count }, () => "");
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const at = next;
      next += 1;
      const { status, body, text } = await client.send("POST", "/scim2/Users", {
        body: { userName: `${prefix}-${at}` },
      });
      if (status !== 201) throw new Error(text);
      ids[at] = body.id;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return ids;
};

/** Ids as SCIM lists them. */
export const values = (ids: readonly string[]) => ids.map((value) => ({ value }));

/** Creates a group and returns its id. */
export const addGroup = async (
  client: Client,
  displayName: string,
  members: readonly string[] = [],
): Promise<string> => {
  const body = { displayName, members: values(members) };
  const { status, body: group, text } = await client.send("POST", "/scim2/Groups", { body });
  if (status !== 201) throw new Error(text);
  return group.id;
};

/** The ids of a group's members; `undefined` where the group does not exist. */
export const membersOf = async (client: Client, id: string): Promise<readonly string[] | undefined> => {
  const { status, body, text } = await client.send("GET", `/scim2/Groups/${id}`);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(text);
  return ((body.members ?? []) as { value: string }[]).map(({ value }) => value);
};
