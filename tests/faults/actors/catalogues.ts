/** Writers of API resources with scopes, of templates and of tenants. */
import {
  type Actor,
  diceOf,
  idInLocation,
  newCollection,
  type Owned,
  type Run,
  readAll,
  UNREADABLE,
} from "../run-of-seed.ts";

const API_RESOURCES = "/api/server/v1/api-resources";
const TEMPLATES = "/api/server/v1/applications/templates";
const TENANTS = "/api/server/v1/tenants";
/** Each has a password to hash. */
const TENANTS_MOST = 3;

interface ApiState {
  readonly name: string;
  readonly identifier: string;
  readonly scopes: readonly string[];
}
interface TemplateState {
  readonly name: string;
  readonly description: string;
}
interface TenantState {
  readonly domain: string;
  readonly activated: boolean;
}

/** A writer of API resources. */
export const apisActor = (run: Run, writer: number): Actor => {
  const dice = diceOf(run.seed, writer);
  let made = 0;
  const newName = (prefix: string) => {
    made += 1;
    return `${prefix}-${run.seed}-${writer}-${made}`;
  };
  const apis = newCollection<ApiState>(run, dice, async (id) => {
    const read = await readAll(run, `${API_RESOURCES}/${id}`);
    if (read === UNREADABLE) return read;
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
    const [api] = read as any[];
    const names = api?.scopes.map(({ name }: { name: string }) => name).sort();
    return api && { name: api.name, identifier: api.identifier, scopes: names };
  });
  const find = async ({ identifier }: ApiState) => {
    const { status, body } = await run.client.read(`${API_RESOURCES}?filter=identifier+eq+${identifier}`);
    return status === 200 ? (body.apiResources[0]?.id as string | undefined) : UNREADABLE;
  };
  const scopesOf = (count: number) => Array.from({ length: count }, () => newName("scope")).sort();
  const named = (names: readonly string[]) => names.map((name) => ({ name }));

  return {
    async step() {
      const sure = apis.sure();
      if (sure.length < 2 || dice.chance(0.15)) {
        const identifier = newName("api");
        const state = { name: "new", identifier, scopes: scopesOf(dice.upTo(3)) };
        await apis.create(identifier, API_RESOURCES, { ...state, scopes: named(state.scopes) }, state);
        return;
      }
      const api = dice.pick(sure);
      const now = api.state.possible()[0];
      if (!now) return;
      const at = `${API_RESOURCES}/${api.id}`;
      const change = (method: string, path: string, body: unknown, after: Partial<ApiState>) =>
        apis.change(api, method, path, body, (before) => before && { ...before, ...after });
      const roll = dice.upTo(99);
      if (roll < 25) {
        const name = newName("name");
        await change("PATCH", at, { name }, { name });
      } else if (roll < 45) {
        const added = scopesOf(1);
        await change("PATCH", at, { addedScopes: named(added) }, { scopes: [...now.scopes, ...added].sort() });
      } else if (roll < 60) {
        const scopes = [...now.scopes.slice(0, 1), ...scopesOf(dice.upTo(2))].sort();
        await change("PUT", `${at}/scopes`, named(scopes), { scopes });
      } else if (roll < 72) {
        const [gone, ...scopes] = now.scopes;
        if (gone) await change("DELETE", `${at}/scopes/${gone}`, undefined, { scopes });
      } else if (roll < 88) {
        const [taken] = now.scopes;
        const body = taken ? { name: "x", identifier: newName("refused"), scopes: named([taken]) } : now;
        await apis.refused(`again:${api.state.label}`, "POST", API_RESOURCES, body);
      } else await apis.change(api, "DELETE", at, undefined, () => undefined);
    },
    verify: () => apis.verify(find),
  };
};

/** A writer of templates. */
export const templatesActor = (run: Run, writer: number): Actor => {
  const dice = diceOf(run.seed, writer);
  let made = 0;
  const newName = () => {
    made += 1;
    return `t-${run.seed}-${writer}-${made}`;
  };
  const templates = newCollection<TemplateState>(run, dice, async (id) => {
    const read = await readAll(run, `${TEMPLATES}/${id}`);
    if (read === UNREADABLE) return read;
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
    const [template] = read as any[];
    if (!template) return undefined;
    // The text stands in the item and in its application, so that half of a change would show.
    const { description: inside } = template.application;
    const description = inside === template.description ? inside : `${template.description} and ${inside}`;
    return { name: template.name, description };
  });
  const find = async ({ name }: TemplateState) => {
    const { status, body } = await run.client.read(`${TEMPLATES}?limit=100&filter=name+eq+${name}`);
    return status === 200 ? (body.templates[0]?.id as string | undefined) : UNREADABLE;
  };
  const bodyOf = ({ name, description }: TemplateState) => ({ name, description, application: { name, description } });

  return {
    async step() {
      const sure = templates.sure();
      if (sure.length < 2 || dice.chance(0.2)) {
        const state = { name: newName(), description: "new" };
        await templates.create(state.name, TEMPLATES, bodyOf(state), state, idInLocation);
        return;
      }
      const one: Owned<TemplateState> = dice.pick(sure);
      const now = one.state.possible()[0];
      if (!now) return;
      const roll = dice.upTo(99);
      if (roll < 60) {
        const name = dice.chance(0.4) ? newName() : now.name;
        const after = { name, description: `d${dice.upTo(9_999)}` };
        await templates.change(one, "PUT", `${TEMPLATES}/${one.id}`, bodyOf(after), (before) => before && after);
      } else if (roll < 75) {
        await templates.refused(
          `again:${one.state.label}`,
          "POST",
          TEMPLATES,
          bodyOf({ ...now, description: "other" }),
        );
      } else await templates.change(one, "DELETE", `${TEMPLATES}/${one.id}`, undefined, () => undefined);
    },
    verify: () => templates.verify(find),
  };
};

/** A writer of tenants. */
export const tenantsActor = (run: Run, writer: number): Actor => {
  const dice = diceOf(run.seed, writer);
  let made = 0;
  const tenants = newCollection<TenantState>(run, dice, async (id) => {
    const read = await readAll(run, `${TENANTS}/${id}`);
    if (read === UNREADABLE) return read;
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
    const [tenant] = read as any[];
    if (!tenant) return undefined;
    if (tenant.owners.length !== 1) return { domain: `${tenant.domain} without an owner`, activated: false };
    return { domain: tenant.domain, activated: tenant.lifecycleStatus.activated };
  });
  const find = async ({ domain }: TenantState) => {
    const { status, body } = await run.client.read(`${TENANTS}/domain/${domain}`);
    if (status === 404) return undefined;
    return status === 200 ? (body.id as string) : UNREADABLE;
  };
  const owners = [{ username: "owner", password: "Owner-1-password", provisioningMethod: "inline-password" }];
  return {
    async step() {
      const sure = tenants.sure();
      if (made < TENANTS_MOST && (sure.length === 0 || dice.chance(0.2))) {
        made += 1;
        const domain = `d${run.seed}-${writer}-${made}.example`;
        await tenants.create(domain, TENANTS, { domain, owners }, { domain, activated: true }, idInLocation);
        return;
      }
      if (sure.length === 0) return;
      const one = dice.pick(sure);
      const now = one.state.possible()[0];
      if (dice.chance(0.15)) {
        return tenants.refused(`again:${now?.domain}`, "POST", TENANTS, { domain: now?.domain, owners });
      }
      const activated = !now?.activated;
      await tenants.change(
        one,
        "PUT",
        `${TENANTS}/${one.id}/lifecycle-status`,
        { activated },
        (before) => before && { ...before, activated },
      );
    },
    verify: () => tenants.verify(find),
  };
};
