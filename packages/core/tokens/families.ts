/**
 * Refresh tokens. All that follow from one sign-in are a family, of which one token counts at a time: using it makes the next
 * (RFC 9700 section 4.14.2). A token that was used before is known for as long as it would have lived, so that its second
 * use, which is one by somebody who should not have it, ends the family.
 */
import { keys } from "../table/keys.ts";
import type { Item, Key, Step, Table } from "../table/table.ts";
import type { TokenUser } from "./model.ts";
import { digestOf, isOpaque } from "./opaque.ts";

/** The access token that a family brought last. */
export interface LatestAccess {
  /** Of an opaque token. */
  readonly digest?: string;
  readonly issuedMs: number;
  readonly expiresAtSeconds: number;
}

/** A family of refresh tokens. */
export interface Family {
  readonly id: string;
  readonly tenant: string;
  readonly clientId: string;
  readonly applicationId: string;
  readonly user: TokenUser;
  /** What was granted at the sign-in; no token of the family brings more. */
  readonly scopes: readonly string[];
  /** When the user signed in, by the rules of `AccessToken.issuedMs`. */
  readonly startedMs: number;
  /** When the family ends, however often it is used. */
  readonly endsAtSeconds: number;
  /** The digest of the token that counts. */
  readonly current: string;
  /** When that token ends. */
  readonly currentUntilSeconds: number;
  /** When that token took the place of another. */
  readonly rotatedMs: number;
  readonly access: LatestAccess;
}

/** A refresh token that was found. */
export interface FoundRefresh {
  readonly digest: string;
  readonly expiresAtSeconds: number;
  readonly family: Family;
}

/** The refresh tokens of all tenants. */
export interface FamilyStore {
  /** Where the family of a token lies, and when the token ends. One round trip. */
  locate(text: string): Promise<Located | undefined>;
  /** The token with its family; `undefined` when the family has ended. One round trip. */
  open(located: Located): Promise<FoundRefresh | undefined>;
  /** The family with that id. One round trip. */
  find(tenant: string, id: string): Promise<Family | undefined>;
}

/** A refresh token as it is kept. */
export interface Located {
  readonly digest: string;
  readonly tenant: string;
  readonly familyId: string;
  readonly expiresAtSeconds: number;
}

/** Opens the store on the table of one request. */
export function familyStore(table: Table): FamilyStore {
  return {
    async locate(text) {
      if (!isOpaque(text, "rt_")) return undefined;
      const digest = digestOf(text);
      const item = await table.get(keys.refreshToken(digest));
      if (!item) return undefined;
      const { tenant, familyId, expiresAtSeconds } = item;
      return {
        digest,
        tenant: String(tenant),
        familyId: String(familyId),
        expiresAtSeconds: Number(expiresAtSeconds),
      };
    },
    async open({ tenant, familyId, digest, expiresAtSeconds }) {
      const family = toFamily(await table.get(keys.family(tenant, familyId)));
      return family && { digest, expiresAtSeconds, family };
    },
    find: async (tenant, id) => toFamily(await table.get(keys.family(tenant, id))),
  };
}

function toFamily(item: Item | undefined): Family | undefined {
  return item?.family as Family | undefined;
}

/** The steps that keep a new family and its first refresh token. */
export function startingFamily(family: Family): readonly Step[] {
  return [{ put: familyItem(family), when: "absent", otherwise: impossible }, keepingRefresh(family)];
}

/** The steps that put a family in another state, from the one that was read. `otherwise` is the fault when it has changed or ended since. */
export function continuingFamily(before: Family, after: Family, otherwise: () => Error): readonly Step[] {
  return [
    { put: familyItem(after), when: { equal: { current: before.current } }, otherwise },
    ...(after.current === before.current ? [] : [keepingRefresh(after)]),
  ];
}

/** The step that ends a family, whether it is there or not. */
export function removingFamily(tenant: string, id: string): Step {
  return {
    remove: keys.family(tenant, id),
    when: "any",
    otherwise: impossible,
  };
}

function familyItem(family: Family): Item {
  return {
    ...keyOf(family),
    current: family.current,
    family: family as unknown as Item["family"],
    expiresAtSeconds: neededUntil(family),
  };
}

function keyOf({ tenant, id }: Family): Key {
  return keys.family(tenant, id);
}

/** Until when a family's item is needed: to the end of its last token. */
function neededUntil({ currentUntilSeconds, access }: Family): number {
  return Math.max(currentUntilSeconds, access.expiresAtSeconds);
}

function keepingRefresh(family: Family): Step {
  return {
    put: {
      ...keys.refreshToken(family.current),
      tenant: family.tenant,
      familyId: family.id,
      expiresAtSeconds: family.currentUntilSeconds,
    },
    when: "any",
    otherwise: impossible,
  };
}

function impossible(): Error {
  return new Error("an id of this moment is in use");
}
