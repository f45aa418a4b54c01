/** From change records to events of both profiles (decision 0088). Pure: it reads the record and nothing else. */
import type { Change, ChangeActor, ChangedResource, ChangeRecord, Json } from "../../database/changes/model.ts";
import { splitStore } from "../../kernel/domain/username.ts";
import { changesChannelUri, eventUri, wso2ChannelUri } from "./channels.ts";
import { claimChangesOf, claimsOf, segmentsOf } from "./claims.ts";

/** One event of a record. */
export interface RecordEvent {
  readonly channel: string;
  readonly uri: string;
  /** What the payload says besides the initiator and the tenant. */
  readonly payload: { readonly [name: string]: Json | undefined };
}

/** What the events of a record show besides ids, by the rights of the owner of a webhook. */
export interface Shows {
  /** Who made the change. */
  readonly actors: boolean;
  /** Names, attributes, members, and which of them changed. */
  readonly values: boolean;
}

/** Members of a role in one event. More are counted, and the role shows them. */
const MEMBERS_MAX = 1_000;

/** Changes of which one event has the paths. More are counted: receivers refuse bodies of several MB. */
const PATHS_MAX = 1_000;

/** The event of a record in the profile `Changes`: one. Values of attributes are left out in any case. */
export function changeEvents(record: ChangeRecord, shows: Shows): RecordEvent[] {
  const { resource, changes } = record;
  const whole = changes.find(({ path }) => path === "");
  const event = whole?.op === "add" ? "created" : whole?.op === "remove" ? "deleted" : "updated";
  const channel = changesChannelUri(resource.type);
  return [
    {
      channel,
      uri: eventUri(channel, event),
      payload: {
        change: record.id,
        operation: record.operation,
        actor: actorOf(record.actor, shows.actors),
        ...(shows.values ? { resource: { ...resource }, ...pathsOf(changes) } : { resource: withoutName(resource) }),
      },
    },
  ];
}

/** Paths name members of groups and roles, and attributes. */
function pathsOf(changes: readonly Change[]): RecordEvent["payload"] {
  return {
    changes: changes.slice(0, PATHS_MAX).map(({ op, path, secret }) => ({ op, path, ...(secret && { secret }) })),
    ...(changes.length > PATHS_MAX && { changesTruncated: true, changesTotalCount: changes.length }),
  };
}

function withoutName({ name: _, ...resource }: ChangedResource): Json {
  return { ...resource };
}

function actorOf({ type, id, name }: ChangeActor, showsActors: boolean): Json {
  return { type, ...(id !== "" && { id }), ...(showsActors && name !== undefined && { name }) };
}

/** The events of a record in the profile `WSO2`, in their order. `base`: the address of the tenant. */
export function wso2Events(record: ChangeRecord, base: string, { values }: Pick<Shows, "values">): RecordEvent[] {
  // Another tenant's resource, which a caller of this one changed, has events there.
  if (record.resource.tenant !== undefined) return [];
  if (record.resource.type === "user") return userEvents(record, base, values);
  return record.resource.type === "role" ? roleEvents(record, base, values) : [];
}

function userEvents(record: ChangeRecord, base: string, showsValues: boolean): RecordEvent[] {
  const { changes } = record;
  const whole = changes.find(({ path }) => path === "");
  const event = (name: string, action: string, claims: Readonly<Record<string, Json>> = {}): RecordEvent =>
    wso2Event("user", name, { ...userParts(record, base, showsValues ? claims : {}), action });
  if (whole?.op === "add") return [event("userCreated", "REGISTER", { claims: listOf(claimsOf(whole.value)) })];
  if (whole?.op === "remove") return [event("userDeleted", "USER_ACCOUNT_DELETE")];
  const claims = claimChangesOf(changes.filter((change) => !isStatus(change)));
  const isProfile = Object.values(claims).some((list) => list.length > 0);
  const password = changes.some(({ path }) => path === "/password");
  const shown = Object.entries(claims).filter(([, list]) => list.length > 0);
  return [
    ...(password
      ? [
          wso2Event("credential", "credentialUpdated", {
            ...userParts(record, base, {}),
            credentialType: "password",
            action: "CREDENTIAL_UPDATE",
          }),
        ]
      : []),
    ...changes.flatMap((change) => {
      const [name, action] = statusEvent(change) ?? [];
      return name !== undefined && action !== undefined ? [event(name, action)] : [];
    }),
    ...(isProfile
      ? [
          event(
            "userProfileUpdated",
            "PROFILE_UPDATE",
            Object.fromEntries(shown.map(([name, list]) => [name, listOf(list)])),
          ),
        ]
      : []),
  ];
}

function userParts({ resource }: ChangeRecord, base: string, claims: Readonly<Record<string, Json>>) {
  const { userStore } = splitStore(resource.name ?? "");
  return {
    user: { id: resource.id, ref: `${base}/scim2/Users/${encodeURIComponent(resource.id)}`, ...claims },
    userStore: { id: Buffer.from(userStore, "utf8").toString("base64"), name: userStore },
  };
}

/** Changes that have events of their own. */
function isStatus({ path }: Change): boolean {
  return path === "/active" || /\/account(?:Locked|Disabled)$/.test(path);
}

function statusEvent(change: Change): readonly [name: string, action: string] | undefined {
  const isTrue = change.op !== "remove" && change.value === true;
  if (change.path === "/active") {
    return isTrue ? ["userEnabled", "USER_ACCOUNT_ENABLE"] : ["userDisabled", "USER_ACCOUNT_DISABLE"];
  }
  if (change.path.endsWith("/accountLocked")) {
    return isTrue ? ["userAccountLocked", "USER_ACCOUNT_LOCK"] : ["userAccountUnlocked", "USER_ACCOUNT_UNLOCK"];
  }
  if (!change.path.endsWith("/accountDisabled")) return undefined;
  return isTrue ? ["userDisabled", "USER_ACCOUNT_DISABLE"] : ["userEnabled", "USER_ACCOUNT_ENABLE"];
}

function roleEvents({ resource, changes }: ChangeRecord, base: string, showsValues: boolean): RecordEvent[] {
  const ref = `${base}/scim2/v2/Roles/${encodeURIComponent(resource.id)}`;
  const named = resource.name !== undefined && { name: resource.name };
  const event = (name: string, action: string, more: Readonly<Record<string, Json>> = {}): RecordEvent =>
    wso2Event("role", name, {
      role: { id: resource.id, ...(showsValues && { ...named, ...more }), ref },
      action,
    });
  const whole = changes.find(({ path }) => path === "");
  const within = (set: string) => {
    const own = changes.filter(({ path }) => path.startsWith(`/${set}/`));
    const ids = (op: Change["op"]) => own.filter((each) => each.op === op).map(({ path }) => segmentsOf(path)[1] ?? "");
    return own.length > 0 && { added: ids("add"), removed: ids("remove") };
  };
  const lists = (title: string, { added, removed }: { added: readonly string[]; removed: readonly string[] }) => ({
    ...listed(`added${title}`, added, ref),
    ...listed(`removed${title}`, removed, ref),
  });
  const [users, groups, permissions] = [within("users"), within("groups"), within("permissions")];
  if (whole?.op === "remove") return [event("roleDeleted", "ROLE_DELETE")];
  if (whole) {
    const members = { ...(users && lists("Users", users)), ...(groups && lists("Groups", groups)) };
    return [event("roleCreated", "ROLE_CREATE", members)];
  }
  const isMeta = changes.some(({ path }) => !/^\/(?:users|groups|permissions)\//.test(path));
  return [
    ...(isMeta ? [event("roleMetaUpdated", "ROLE_UPDATE")] : []),
    ...(users ? [event("roleUsersUpdated", "ROLE_UPDATE", lists("Users", users))] : []),
    ...(groups ? [event("roleGroupsUpdated", "ROLE_UPDATE", lists("Groups", groups))] : []),
    ...(permissions ? [event("rolePermissionsUpdated", "ROLE_UPDATE", lists("Permissions", permissions))] : []),
  ];
}

function listed(name: string, ids: readonly string[], ref: string): Readonly<Record<string, Json>> {
  if (ids.length === 0) return {};
  const member = name.endsWith("Permissions") ? "name" : "id";
  const shown: Json[] = ids.slice(0, MEMBERS_MAX).map((id) => ({ [member]: id }));
  if (ids.length <= MEMBERS_MAX) return { [name]: shown };
  return { [name]: shown, [`${name}Truncated`]: true, [`${name}TotalCount`]: ids.length, [`${name}Ref`]: ref };
}

function wso2Event(channel: string, name: string, payload: RecordEvent["payload"]): RecordEvent {
  const uri = wso2ChannelUri(channel);
  return { channel: uri, uri: eventUri(uri, name), payload };
}

function listOf(list: readonly { readonly uri: string; readonly value: Json }[]): Json {
  return list.map(({ uri, value }) => ({ uri, value }));
}
