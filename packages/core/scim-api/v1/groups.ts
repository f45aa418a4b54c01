/** Groups by SCIM 1.1: the functions behind `/Groups` and the group operations of `/Bulk`. */

import { splitStore } from "../../domain/username.ts";
import type { Member } from "../../identities/memberships/membership.ts";
import { changeGroup, createGroup, type MembershipWish, memberIds } from "../../identities/provisioning/groups.ts";
import { Fault } from "../../platform/faults.ts";
import { type Projection, wants } from "../../scim/projection.ts";
import { requireAll } from "../../scim/requirements.ts";
import type { Resource } from "../../scim/schema/attribute.ts";
import { groupType } from "../../scim/schema/resource-types.ts";
import { MEMBERS_SHOWN_MAX, readWithMembers } from "../resources/show.ts";
import { type Body, checkId, readRemoved, readSent, type Sent } from "./input.ts";
import { type Asking, everything, type Shown, showGroup } from "./show.ts";
import type { Scim1Stores } from "./stores.ts";

/** A group that was changed; without its body where it has more members than an answer can hold. */
export type Changed = Pick<Shown, "location"> & { readonly body: Shown["body"] | undefined };

const all = everything(groupType);
/** Members that are read beside a change that leaves them alone; of more there is time behind it. */
const BESIDE_MAX = 1_000;

/** What is to become of a group. */
interface Change {
  readonly after: (before: Resource) => Resource;
  /** Where the name is to be another one. */
  readonly displayName: Resource[string] | undefined;
  readonly membership: MembershipWish;
}

/** Creates a group. */
export async function postGroup(
  stores: Scim1Stores,
  asking: Asking,
  body: Body,
  projection: Projection = all,
): Promise<Shown> {
  const { core } = readGroupBody(stores, body);
  requireAll(groupType, core);
  checkCount(memberIds(core.members));
  const { group, members } = await createGroup(stores, asking, core);
  return showGroup(stores, asking, group, projection, members);
}

/** Reads a group. One round trip up to about 7,000 members. */
export async function readGroup(
  stores: Scim1Stores,
  asking: Asking,
  id: string,
  projection: Projection = all,
): Promise<Shown> {
  const { group, members } = await readWithMembers(stores, asking.tenant, id, projection);
  return showGroup(stores, asking, group, projection, members);
}

/** Replaces a group with its members. A name or an external id that is not sent stays: the spec's groups have no external id. */
export async function putGroup(
  stores: Scim1Stores,
  asking: Asking,
  id: string,
  body: Body,
  projection: Projection = all,
): Promise<Changed> {
  const { members, ...rest } = readGroupBody(stores, body).core;
  const joining = memberIds(members);
  checkCount(joining);
  const membership = { replaces: true, joining, leaving: new Set<string>() };
  const { displayName } = rest;
  const after = (before: Resource): Resource => ({ ...before, ...rest });
  return changed(stores, asking, id, { after, displayName, membership }, projection);
}

/** Changes what is sent of a group: members join, or leave where they are marked to. */
export async function patchGroup(
  stores: Scim1Stores,
  asking: Asking,
  id: string,
  body: Body,
  projection: Projection = all,
): Promise<Changed> {
  checkId(body, id);
  const { core, leaving } = readGroupBody(stores, body);
  const removed = new Set(readRemoved(groupType, body).flatMap(({ attribute, sub }) => (sub ? [] : attribute.name)));
  const { members, ...rest } = core;
  const joining = memberIds(members);
  const going = memberIds(leaving.flatMap(({ elements }) => elements)).difference(joining);
  const membership = { replaces: removed.has("members"), joining, leaving: going };
  const after = ({ externalId, ...before }: Resource): Resource => ({
    ...before,
    ...(externalId !== undefined && !removed.has("externalId") && { externalId }),
    ...rest,
  });
  return changed(stores, asking, id, { after, displayName: rest.displayName, membership }, projection);
}

/** Deletes a group. */
export function removeGroup(stores: Scim1Stores, { tenant }: Asking, id: string): Promise<void> {
  return stores.groups.remove(tenant, id, () => undefined);
}

function readGroupBody(stores: Scim1Stores, body: Body): Sent {
  const sent = readSent(groupType, body);
  checkStore(sent.core, stores);
  return sent;
}

/** What stands before the first slash of a name is a user store here (reference scim.md sections 2.6 and 2.10). */
function checkStore({ displayName }: Resource, { userStores }: Scim1Stores): void {
  if (typeof displayName !== "string" || !displayName.includes("/")) return;
  const { userStore } = splitStore(displayName);
  if (userStores.includes(userStore)) return;
  throw new Fault("request.invalid", `Invalid user store domain: ${userStore.slice(0, 50)}.`);
}

/** An answer shows all members or is an error, so more than it can show are not taken at once. */
function checkCount(ids: ReadonlySet<string>): void {
  if (ids.size <= MEMBERS_SHOWN_MAX) return;
  throw new Fault(
    "request.invalid",
    `The request has ${ids.size} members; send at most ${MEMBERS_SHOWN_MAX}, and add the others by PATCH.`,
  );
}

async function changed(
  stores: Scim1Stores,
  asking: Asking,
  id: string,
  { after, displayName, membership }: Change,
  projection: Projection,
): Promise<Changed> {
  const showsMembers = wants(projection, "members");
  const { replaces, joining, leaving } = membership;
  const keepsMembers = !replaces && joining.size + leaving.size === 0;
  let now: readonly Member[] | undefined;
  /** Read behind the group and before it is written: where its members change in between, the change is tried again. */
  let beside: Promise<readonly Member[]> | undefined;
  const group = await changeGroup(stores, asking, id, {
    check({ memberCount }) {
      if (!keepsMembers || !showsMembers || memberCount > BESIDE_MAX) return;
      beside = stores.groups.members(asking.tenant, id, BESIDE_MAX);
      beside.catch(() => undefined);
    },
    change: async (before) => ({ after: after(before), membership }),
    membership,
    onMembers: (known) => {
      now = known;
    },
    ...(typeof displayName === "string" && { displayName }),
  });
  if (group.memberCount > MEMBERS_SHOWN_MAX && showsMembers) {
    return { location: `${asking.base}/Groups/${id}`, body: undefined };
  }
  return showGroup(stores, asking, group, projection, now ?? (await beside));
}
