/** Writers of applications with their protocols and authorized APIs. */
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

const APPLICATIONS = "/api/server/v1/applications";
const API_RESOURCES = "/api/server/v1/api-resources";
const SCOPES = 3;

interface ApplicationState {
  readonly name: string;
  readonly description: string;
  readonly oidc: { readonly clientId: string; readonly callbackURLs: readonly string[] } | undefined;
  readonly issuer: string | undefined;
  /** The authorized scopes of the writer's API; `undefined` if the API is not authorized. */
  readonly scopes: readonly string[] | undefined;
}

const saml = (issuer: string) => ({
  manualConfiguration: { issuer, assertionConsumerUrls: ["https://sp.example/acs"] },
});
const oidc = (clientId: string, callbackURLs: readonly string[]) => ({
  clientId,
  grantTypes: ["client_credentials", "authorization_code"],
  callbackURLs,
});

/** A writer of applications. */
export const applicationsActor = (run: Run, writer: number): Actor => {
  const dice = diceOf(run.seed, writer);
  const scopes = Array.from({ length: SCOPES }, (_, at) => `s-${run.seed}-${writer}-${at}`);
  let apiId = "";
  let made = 0;
  const newName = (prefix: string) => {
    made += 1;
    return `${prefix}-${run.seed}-${writer}-${made}`;
  };

  const applications = newCollection<ApplicationState>(run, dice, async (id) => {
    const at = `${APPLICATIONS}/${id}`;
    const read = await readAll(
      run,
      at,
      `${at}/inbound-protocols/oidc`,
      `${at}/inbound-protocols/saml`,
      `${at}/authorized-apis`,
    );
    if (read === UNREADABLE) return read;
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
    const [application, client, provider, apis] = read as any[];
    if (!application) return undefined;
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back
    const authorized = (apis ?? []).find((api: any) => api.id === apiId);
    return {
      name: application.name,
      description: application.description,
      oidc: client && { clientId: client.clientId, callbackURLs: client.callbackURLs },
      issuer: (provider?.manualConfiguration ?? provider)?.issuer,
      scopes: authorized?.authorizedScopes.map(({ name }: { name: string }) => name).sort(),
    };
  });
  const find = async ({ name }: ApplicationState) => {
    const { status, body } = await run.client.read(`${APPLICATIONS}?filter=${encodeURIComponent(`name eq ${name}`)}`);
    return status === 200 ? (body.applications[0]?.id as string | undefined) : UNREADABLE;
  };
  const create = async () => {
    const name = newName("a");
    const [clientId, issuer] = [
      dice.chance(0.6) ? newName("c") : undefined,
      dice.chance(0.5) ? newName("i") : undefined,
    ];
    const state: ApplicationState = {
      name,
      description: "new",
      oidc: clientId === undefined ? undefined : { clientId, callbackURLs: ["https://a.example/cb"] },
      issuer,
      scopes: undefined,
    };
    const inboundProtocolConfiguration = {
      ...(state.oidc && { oidc: oidc(state.oidc.clientId, state.oidc.callbackURLs) }),
      ...(issuer !== undefined && { saml: saml(issuer) }),
    };
    await applications.create(
      name,
      APPLICATIONS,
      { name, description: "new", inboundProtocolConfiguration },
      state,
      idInLocation,
    );
  };
  const refuse = async ({ state }: Owned<ApplicationState>) => {
    const now = state.possible()[0];
    if (!now) return;
    const other = newName("refused");
    const bodies: unknown[] = [
      { name: now.name },
      ...(now.oidc
        ? [{ name: other, inboundProtocolConfiguration: { oidc: oidc(now.oidc.clientId, ["https://b.example"]) } }]
        : []),
      ...(now.issuer ? [{ name: other, inboundProtocolConfiguration: { saml: saml(now.issuer) } }] : []),
    ];
    await applications.refused(`again:${state.label}`, "POST", APPLICATIONS, dice.pick(bodies));
  };

  return {
    async prepare() {
      const body = {
        name: `of ${writer}`,
        identifier: `api-of-${run.seed}-${writer}`,
        scopes: scopes.map((name) => ({ name })),
      };
      const { status, text, body: made } = await run.client.send("POST", API_RESOURCES, { body });
      if (status !== 201) throw new Error(text);
      apiId = made.id;
    },
    async step() {
      const sure = applications.sure();
      if (sure.length < 2 || dice.chance(0.15)) return create();
      const one = dice.pick(sure);
      const now = one.state.possible()[0];
      if (!now) return;
      const at = `${APPLICATIONS}/${one.id}`;
      const change = (method: string, below: string, body: unknown, after: Partial<ApplicationState>) =>
        applications.change(one, method, `${at}${below}`, body, (before) => before && { ...before, ...after });
      const roll = dice.upTo(99);
      if (roll < 18) {
        const description = `d${dice.upTo(9_999)}`;
        await change("PATCH", "", { description }, { description });
      } else if (roll < 30) {
        const name = newName("a");
        await change("PATCH", "", { name }, { name });
      } else if (roll < 42) {
        const issuer = newName("i");
        await change("PUT", "/inbound-protocols/saml", saml(issuer), { issuer });
      } else if (roll < 50) {
        if (now.issuer) await change("DELETE", "/inbound-protocols/saml", undefined, { issuer: undefined });
      } else if (roll < 62) {
        const [clientId, callbackURLs] = [now.oidc?.clientId ?? newName("c"), [`https://${newName("cb")}.example/`]];
        await change("PUT", "/inbound-protocols/oidc", oidc(clientId, callbackURLs), {
          oidc: { clientId, callbackURLs },
        });
      } else if (roll < 68) {
        if (now.oidc) await change("DELETE", "/inbound-protocols/oidc", undefined, { oidc: undefined });
      } else if (roll < 84) {
        const [first = "", second = ""] = scopes;
        if (!now.scopes) {
          const body = { id: apiId, policyIdentifier: "RBAC", scopes: [first] };
          await change("POST", "/authorized-apis", body, { scopes: [first] });
        } else if (now.scopes.includes(second)) {
          await change("DELETE", `/authorized-apis/${apiId}`, undefined, { scopes: undefined });
        } else {
          await change("PATCH", `/authorized-apis/${apiId}`, { addedScopes: [second] }, { scopes: [first, second] });
        }
      } else if (roll < 92) await refuse(one);
      else await applications.change(one, "DELETE", at, undefined, () => undefined);
    },
    verify: () => applications.verify(find),
  };
};
