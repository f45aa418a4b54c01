/** What the API shows of resources, compared with their replayed documents. */
import { isDeepStrictEqual } from "node:util";
import { concurrently } from "#core/kernel/concurrently.ts";
import { APPLICATIONS } from "../world.ts";
import type { Pool, Sender } from "./pool.ts";
import type { Doc, Replayed } from "./replay.ts";

const AT_ONCE = 8;
/** Members of user documents in the API that are about other resources, or about the document. */
const DERIVED = ["id", "meta", "schemas", "groups", "roles"];

type Reader = (path: string) => Promise<Doc | undefined>;

const without = (doc: Doc, names: readonly string[]): Doc =>
  Object.fromEntries(Object.entries(doc).filter(([name]) => !names.includes(name)));
const idsOf = (list: unknown): string[] => ((list ?? []) as { value: string }[]).map(({ value }) => value).sort();
const setOf = (doc: Doc, name: string, isThere: (id: string) => boolean): string[] =>
  Object.keys((doc[name] ?? {}) as Doc)
    .filter(isThere)
    .sort();

/** Whether everything that a document says is in what the API shows. What is secret is there, or is not shown. */
const isShown = (said: unknown, shown: unknown): boolean => {
  if (isDeepStrictEqual(said, { secret: true })) return shown !== "";
  if (Array.isArray(said)) {
    // Where nothing is set, the API shows what applies.
    if (said.length === 0) return Array.isArray(shown);
    return Array.isArray(shown) && said.length === shown.length && said.every((one, at) => isShown(one, shown[at]));
  }
  if (typeof said === "object" && said !== null) {
    if (typeof shown !== "object" || shown === null) return false;
    return Object.entries(said).every(([name, value]) => isShown(value, (shown as Doc)[name]));
  }
  return Object.is(said, shown);
};

interface Look {
  readonly read: Reader;
  readonly says: (sentence: string) => void;
  readonly doc: Doc | undefined;
  readonly id: string;
  /** Whether a resource exists by its records. */
  readonly isThere: (type: "user" | "group" | "api-resource") => (id: string) => boolean;
  /** The name of a scope of an API, by its records. */
  readonly scopeName: (id: string) => string | undefined;
}

/** An API that an application may call. */
interface Authorized {
  readonly id: string;
  readonly authorizedScopes: readonly { readonly name: string }[];
}

/** Says where two values of one name differ. */
const compare = ({ says }: Look, name: string, said: unknown, shown: unknown, same = isDeepStrictEqual): void => {
  if (!same(said, shown)) says(`${name}: records say ${JSON.stringify(said)}, the API shows ${JSON.stringify(shown)}`);
};

/** Reads a resource. `undefined` where it is absent, as its records say. */
const found = async ({ read, says, doc }: Look, path: string): Promise<Doc | undefined> => {
  const shown = await read(path);
  if ((doc === undefined) !== (shown === undefined)) {
    says(`records say ${doc ? "it is there" : "it is gone"}, the API shows ${JSON.stringify(shown)}`);
  }
  return doc && shown;
};

const PROTOCOLS = [
  ["oidc", "oidc"],
  ["saml", "saml"],
  ["passive-sts", "passiveSts"],
  ["ws-trust", "wsTrust"],
] as const;

/** How each type is read and compared. */
const looks: Readonly<Record<string, (look: Look) => Promise<void>>> = {
  async user(look) {
    const shown = await found(look, `/scim2/Users/${look.id}`);
    if (shown) compare(look, "user", without(look.doc ?? {}, ["password"]), without(shown, DERIVED));
  },
  async group(look) {
    const { doc = {}, isThere } = look;
    const shown = await found(look, `/scim2/Groups/${look.id}`);
    if (!shown) return;
    compare(look, "displayName", doc.displayName, shown.displayName);
    compare(look, "externalId", doc.externalId, shown.externalId);
    compare(look, "members", setOf(doc, "members", isThere("user")), idsOf(shown.members));
  },
  async role(look) {
    const { doc = {}, isThere } = look;
    const shown = await found(look, `/scim2/v2/Roles/${look.id}`);
    if (!shown) return;
    compare(look, "displayName", doc.displayName, shown.displayName);
    // The administrator's role has every scope and shows them all; its document names none.
    if (doc.displayName !== "admin") {
      compare(look, "permissions", Object.keys((doc.permissions ?? {}) as Doc).sort(), idsOf(shown.permissions));
    }
    compare(look, "users", setOf(doc, "users", isThere("user")), idsOf(shown.users));
    compare(look, "groups", setOf(doc, "groups", isThere("group")), idsOf(shown.groups));
  },
  async application(look) {
    const at = `${APPLICATIONS}/${look.id}`;
    const shown = await found(look, at);
    if (!shown || !look.doc) return;
    const { inboundProtocolConfiguration = {}, ...settings } = look.doc;
    const { custom = {}, others: _, ...protocols } = inboundProtocolConfiguration as Readonly<Record<string, Doc>>;
    compare(look, "application", without(settings, ["ownerId", "importedContent"]), shown, isShown);
    for (const [path, name] of PROTOCOLS) {
      const configuration = await look.read(`${at}/inbound-protocols/${path}`);
      compare(look, `has ${name}`, protocols[name] !== undefined, configuration !== undefined);
      if (configuration) compare(look, name, Object.keys(protocols[name] ?? {}).length > 0, true);
    }
    const cas = await look.read(`${at}/inbound-protocols/cas`);
    compare(look, "has cas", (custom as Doc).cas !== undefined, cas !== undefined);
  },
  async "authorized-apis"(look) {
    const shown = (await look.read(`${APPLICATIONS}/${look.id}/authorized-apis`)) as unknown as
      | Authorized[]
      | undefined;
    // An API or a scope that was deleted cannot be called, by any application.
    const said = ((look.doc?.authorizedAPIs ?? []) as unknown as { apiId: string; scopeIds: string[] }[])
      .filter(({ apiId }) => look.isThere("api-resource")(apiId))
      .map(({ apiId, scopeIds }) => `${apiId} ${scopeIds.flatMap((id) => look.scopeName(id) ?? []).sort()}`);
    const listed = shown?.map(({ id, authorizedScopes }) => `${id} ${authorizedScopes.map(({ name }) => name).sort()}`);
    if (listed) compare(look, "APIs", said.sort(), listed.sort());
  },
  async "application-template"(look) {
    const shown = await found(look, `${APPLICATIONS}/templates/${look.id}`);
    if (shown) compare(look, "template", look.doc, shown, isShown);
  },
  async "api-resource"(look) {
    const shown = await found(look, `/api/server/v1/api-resources/${look.id}`);
    if (shown) compare(look, "API", look.doc, shown, isShown);
  },
  async webhook(look) {
    const shown = await found(look, `/api/server/v1/webhooks/${look.id}`);
    if (!shown || !look.doc) return;
    const { eventProfile, channelsSubscribed, secret: _, owner: __, scopes: ___, ...settings } = look.doc;
    compare(look, "webhook", settings, shown, isShown);
    compare(look, "profile", { name: eventProfile }, shown.eventProfile, isShown);
    const channels = shown.channelsSubscribed as unknown as { channelUri: string }[];
    compare(
      look,
      "channels",
      channelsSubscribed,
      channels.map(({ channelUri }) => channelUri),
    );
  },
  async "event-stream"(look) {
    const shown = await found(look, `/ssf/streams?stream_id=${look.id}`);
    if (!shown || !look.doc) return;
    const { description, events_requested, delivery, status } = look.doc;
    const { endpoint_url, method } = delivery as Doc;
    const address = { method, ...(endpoint_url !== undefined && { endpoint_url }) } as Doc;
    compare(look, "stream", { description, events_requested, delivery: address } as Doc, shown, isShown);
    compare(look, "status", status, (await look.read(`/ssf/status?stream_id=${look.id}`))?.status);
  },
};

/** What differs between the documents of records and what the API shows. */
export const differencesFromApi = async (
  resources: ReadonlyMap<string, Replayed>,
  { realms }: Pool,
  send: Sender,
): Promise<string[]> => {
  const problems: string[] = [];
  const isThere = (tenant: string) => (type: string) => (id: string) =>
    resources.get(`${tenant} ${type} ${id}`)?.doc !== undefined;
  const scopes = new Map(
    [...resources.values()].flatMap(({ type, doc }) =>
      type === "api-resource" && doc
        ? (doc.scopes as unknown as { id: string; name: string }[]).map(({ id, name }) => [id, name] as const)
        : [],
    ),
  );
  const scopeName = (id: string) => scopes.get(id);
  await concurrently([...resources.values()], AT_ONCE, async ({ tenant, type, id, doc }) => {
    const realm = realms.find((one) => one.tenant === tenant);
    const look = looks[type];
    if (!realm || !look) return;
    const read: Reader = async (path) => {
      const as = realm.as === undefined ? {} : { as: realm.as };
      const { status, body, text } = await send("GET", `${realm.prefix}${path}`, as);
      if (status !== 200 && status !== 404) throw new Error(`GET ${path} of ${tenant}: ${status} ${text}`);
      return status === 200 ? body : undefined;
    };
    const says = (sentence: string) => problems.push(`${tenant} ${type} ${id}: ${sentence}`);
    await look({ read, says, doc, id, isThere: isThere(tenant), scopeName });
  });
  return problems;
};
