/** API resources: an API of the tenant with its scopes. */
import { isFault } from "../../client/client.ts";
import type { ApiResourceInputs, ApiResourceMembers } from "../declarations.ts";
import { type Change, hasUnknown, type Members, membersOf, type Part } from "./declared.ts";
import { type Definition, resourceOf } from "./resource.ts";

const BASE = "/api/server/v1/api-resources";
/** Members that PATCH does not take. */
const fixed = ["identifier", "requiresAuthorization"] as const;

type Scope = NonNullable<ApiResourceMembers["scopes"]>[number];

interface Now {
  readonly members: Members;
  readonly etag: string | undefined;
  readonly scopes: readonly Scope[];
  readonly scopesEtag: string | undefined;
}

const pathOf = (id: string): `/${string}` => `${BASE}/${encodeURIComponent(id)}`;

const definition: Definition<ApiResourceInputs, Now> = {
  kind: "API resource",
  idOutput: "apiResourceId",
  nameOf: ({ identifier }) => String(identifier),
  pathOf,

  async find(api, id) {
    const params = { apiResourceId: id };
    try {
      const [own, scopes] = await Promise.all([
        api.request("GET /api/server/v1/api-resources/{apiResourceId}", { params }),
        api.request("GET /api/server/v1/api-resources/{apiResourceId}/scopes", { params }),
      ]);
      return { members: membersOf(own.body), etag: own.etag, scopes: scopes.body, scopesEtag: scopes.etag };
    } catch (error) {
      if (isFault(error, "notFound")) return undefined;
      throw error;
    }
  },

  async rehearse(api, inputs, isReplaced) {
    if (hasUnknown(inputs.identifier) || hasUnknown(inputs.name)) return;
    const { scopes, ...others } = bodyOf(inputs);
    const known = Object.entries(others).filter(([, value]) => !hasUnknown(value));
    // The resource that is replaced still has its scopes, and maybe its identifier.
    const fresh = isReplaced || hasUnknown(scopes) ? {} : { scopes };
    const body = { ...Object.fromEntries(known), ...fresh } as ApiResourceMembers;
    if (isReplaced && (await definition.holderOf(api, inputs))) return;
    await api.request("POST /api/server/v1/api-resources", { body, dryRun: true });
  },

  async make(api, inputs) {
    return (await api.request("POST /api/server/v1/api-resources", { body: bodyOf(inputs) })).id;
  },

  async holderOf(api, { identifier }) {
    const query = { filter: `identifier eq ${identifier}` };
    const all = await api.list("GET /api/server/v1/api-resources", { query }).all();
    return all.find((each) => each.identifier === identifier)?.id;
  },

  parts(now, inputs, before) {
    const { scopes, importId: _, ...plain } = inputs;
    const { apiResourceId, shown, ...members } = plain as Members;
    const own = Object.entries(members).map(
      ([key, declared]): Part => ({ key, declared, before: (before as Members)[key], now: now.members[key] }),
    );
    if (!scopes) return own;
    const part: Part = {
      key: "scopes",
      declared: ordered(scopes),
      written: scopes,
      before: before.scopes && ordered(before.scopes),
      now: ordered(now.scopes),
    };
    return [...own, part];
  },

  replaces: (now, inputs) =>
    fixed.filter(
      (name) => inputs[name] !== undefined && !hasUnknown(inputs[name]) && inputs[name] !== now.members[name],
    ),

  async changes(_, id, now, differing, { scopes }) {
    const plain = differing.filter(({ key }) => key !== "scopes");
    const changes: Change[] = [];
    if (plain.length > 0) {
      changes.push({
        keys: plain.map(({ key }) => key),
        method: "PATCH",
        path: pathOf(id),
        body: Object.fromEntries(plain.map(({ key, declared }) => [key, declared])),
        ifMatch: now.etag,
      });
    }
    if (scopes && differing.some(({ key }) => key === "scopes")) {
      const existing = new Map(now.scopes.map((scope) => [scope.name, scope]));
      changes.push({
        keys: ["scopes"],
        method: "PUT",
        path: `${pathOf(id)}/scopes`,
        // PUT replaces all scopes, so it repeats what is not declared.
        body: scopes.map((scope) => {
          const { displayName, description } = existing.get(scope.name) ?? {};
          return { ...(displayName && { displayName }), ...(description && { description }), ...scope };
        }),
        ifMatch: now.scopesEtag,
      });
    }
    return changes;
  },

  inputsOf: (values) => Object.fromEntries(values),
  madeOf: () => ({}),
};

export const apiResource = resourceOf(definition);

function bodyOf({ importId: _, ...body }: ApiResourceInputs): ApiResourceMembers {
  return body;
}

function ordered(scopes: readonly Scope[]): readonly Scope[] {
  return [...scopes].sort((a, b) => (a.name < b.name ? -1 : 1));
}
