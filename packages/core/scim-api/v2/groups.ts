/** Groups by SCIM 2.0: the functions behind `/Groups` and the group operations of `/Bulk`. */

import type { Group } from "../../identities/groups/model.ts";
import type { Member } from "../../identities/memberships/membership.ts";
import { changeGroup, createGroup, memberIds } from "../../identities/provisioning/groups.ts";
import { readResource } from "../../scim/input.ts";
import { applyPatch } from "../../scim/patch/apply.ts";
import { readPatch } from "../../scim/patch/read.ts";
import { isStepOn, type PatchStep } from "../../scim/patch/step.ts";
import { type Projection, present, projectionOf, wants } from "../../scim/projection.ts";
import { requireAll } from "../../scim/requirements.ts";
import { etagOf, groupResource } from "../resources/present.ts";
import { MEMBERS_SHOWN_MAX, membersOfAll, readWithMembers } from "../resources/show.ts";
import type { Asking } from "./list.ts";
import { foreseenMembership, membershipOf, replacingMembers } from "./membership.ts";
import type { Scim2Stores } from "./stores.ts";
import { asksForNothing, type Changing, checkMatch, type Shown, type Wanted } from "./users.ts";

/** Members past which a change of a group is answered without it, unless attributes are asked for (reference scim.md, D24). */
const MEMBERS_ANSWERED_MAX = 1_000;

/** Creates a group. */
export async function postGroup(stores: Scim2Stores, asking: Asking, body: unknown, wanted: Wanted): Promise<Shown> {
  const { groupType } = stores.dialect;
  const projection = projectionOf(groupType, wanted);
  const resource = readResource(groupType, body);
  requireAll(groupType, resource);
  const { group, members } = await createGroup(stores, asking, resource);
  return shown(stores, asking, group, projection, members);
}

/** Reads a group. One round trip up to about 7,000 members. */
export async function readGroup(stores: Scim2Stores, asking: Asking, id: string, wanted: Wanted): Promise<Shown> {
  const projection = projectionOf(stores.dialect.groupType, wanted);
  const { group, members } = await readWithMembers(stores, asking.tenant, id, projection);
  return shown(stores, asking, group, projection, members);
}

/** Replaces a group with its members. */
export async function putGroup(
  stores: Scim2Stores,
  asking: Asking,
  { id, ifMatch }: Changing,
  body: unknown,
  wanted: Wanted,
): Promise<Shown> {
  const { groupType } = stores.dialect;
  const projection = projectionOf(groupType, wanted);
  const resource = readResource(groupType, body);
  requireAll(groupType, resource);
  const { members, ...rest } = resource;
  const membership = replacingMembers(memberIds(members));
  let now: readonly Member[] | undefined;
  const group = await changeGroup(stores, asking, id, {
    check: ({ version }) => checkMatch(ifMatch, version),
    isExact: ifMatch !== undefined,
    change: async () => ({ after: rest, membership }),
    displayName: String(rest.displayName),
    membership,
    onMembers: (known) => {
      now = known;
    },
  });
  return shown(stores, asking, group, projection, now);
}

/** Changes a group. The body is left out for a large group, unless attributes are asked for. */
export async function patchGroup(
  stores: Scim2Stores,
  asking: Asking,
  { id, ifMatch }: Changing,
  body: unknown,
  wanted: Wanted,
): Promise<Omit<Shown, "body"> & { readonly body: Record<string, unknown> | undefined }> {
  const { groupType } = stores.dialect;
  const projection = projectionOf(groupType, wanted);
  const steps = readPatch(groupType, body);
  const onMembers = steps.flatMap((step) => (isStepOn(step, "members") ? [step] : []));
  const others = steps.filter((step) => !isStepOn(step, "members"));
  const list = { name: "members", idsOf: memberIds };
  const membership = await foreseenMembership(onMembers, list);
  const showsMembers = wants(projection, "members");
  let now: readonly Member[] | undefined;
  /** Read behind the group and before it is written: where its members change in between, the change is tried again. */
  let beside: Promise<readonly Member[]> | undefined;
  const group = await changeGroup(stores, asking, id, {
    check({ version, memberCount }) {
      checkMatch(ifMatch, version);
      if (onMembers.length > 0 || !showsMembers || memberCount > MEMBERS_ANSWERED_MAX) return;
      beside = stores.groups.members(asking.tenant, id, MEMBERS_ANSWERED_MAX);
      beside.catch(() => undefined);
    },
    isExact: ifMatch !== undefined,
    change: async (before, read) => ({
      after: applyPatch(groupType, before, others),
      membership: membership ?? (await membershipOf(onMembers, { ...list, read })),
    }),
    displayName: displayNameIn(steps),
    membership,
    onMembers: (known) => {
      now = known;
    },
  });
  if (group.memberCount > MEMBERS_ANSWERED_MAX && asksForNothing(wanted)) {
    return { location: `${asking.base}/Groups/${id}`, etag: etagOf(group.version), body: undefined };
  }
  return shown(stores, asking, group, projection, now ?? (await beside));
}

function displayNameIn(steps: readonly PatchStep[]): string | undefined {
  const step = steps.findLast((one) => isStepOn(one, "displayName"));
  return step && isStepOn(step, "displayName") && step.change.kind === "value" ? String(step.change.value) : undefined;
}

/** Deletes a group. */
export function removeGroup(stores: Scim2Stores, { tenant }: Asking, { id, ifMatch }: Changing): Promise<void> {
  return stores.groups.remove(tenant, id, ({ version }) => checkMatch(ifMatch, version));
}

/** Members that are more than an answer holds are left out: what was asked for has been done. */
async function shown(
  stores: Scim2Stores,
  asking: Asking,
  group: Group,
  projection: Projection,
  read?: readonly Member[],
): Promise<Shown> {
  const showsMembers = wants(projection, "members") && group.memberCount <= MEMBERS_SHOWN_MAX;
  const members = showsMembers ? (read ?? (await membersOfAll(stores, asking.tenant, [group]))[0]) : undefined;
  const resource = groupResource(group, members, asking);
  return {
    location: `${asking.base}/Groups/${group.id}`,
    etag: etagOf(group.version),
    body: { ...present(projection, resource, members && { emptyLists: ["members"] }) },
  };
}
