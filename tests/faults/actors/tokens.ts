/** A writer of tokens: issues, refreshes and revokes them, and holds what introspection says of each against it. */
import { form } from "#tests/support/oauth.ts";
import { basic } from "#tests/support/world.ts";
import { canonical, type Tracked, tracked } from "../ledger.ts";
import { type Actor, diceOf, idInLocation, type Run } from "../run-of-seed.ts";

const APPLICATIONS = "/api/server/v1/applications";
const SCOPE = "internal_user_mgt_list";
const PASSWORD = "Tokens-1-password";

interface Token {
  readonly text: string;
  readonly state: Tracked<"active">;
}
/** What one sign-in brought. The refresh token is `undefined` once it is unknown which one is valid. */
interface Family {
  readonly access: Token[];
  refresh: string | undefined;
}

/** A writer of tokens, with a client and a user of its own. */
export const tokensActor = (run: Run, writer: number): Actor => {
  const { client, ledger } = run;
  const dice = diceOf(run.seed, writer);
  const name = `tokens-${run.seed}-${writer}`;
  let as = "";
  let made = 0;
  const families: Family[] = [];

  const must = async (method: string, path: string, body?: unknown) => {
    const reply = await client.send(method, path, body === undefined ? {} : { body });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.text}`);
    return reply;
  };
  const post = (label: string, path: string, fields: Readonly<Record<string, string | undefined>>) =>
    client.write(label, "POST", path, { form: form(fields), as });
  const keep = (label: string, text: string): Token => ({ text, state: tracked<"active">(label, "active") });
  const newLabel = () => {
    made += 1;
    return `${name}-${made}`;
  };

  const issue = async () => {
    const label = newLabel();
    const isOwn = dice.chance(0.5);
    const fields = isOwn
      ? { grant_type: "client_credentials", scope: SCOPE }
      : { grant_type: "password", username: name, password: PASSWORD };
    const { reply, outcome } = await post(label, "/oauth2/token", fields);
    if (outcome === "refused") ledger.broken(label, `refused without a reason: ${reply.text.slice(0, 200)}`);
    if (outcome !== "acknowledged") return;
    families.push({ access: [keep(label, reply.body.access_token)], refresh: reply.body.refresh_token });
  };
  const refresh = async (family: Family) => {
    const label = newLabel();
    const { reply, outcome } = await post(label, "/oauth2/token", {
      grant_type: "refresh_token",
      refresh_token: family.refresh ?? "",
    });
    if (outcome === "refused") ledger.broken(label, `refused without a reason: ${reply.text.slice(0, 200)}`);
    // Each refresh ends the access token before it.
    for (const { state } of family.access) state.wrote(outcome, () => undefined);
    family.refresh = outcome === "acknowledged" ? reply.body.refresh_token : undefined;
    if (outcome === "acknowledged") family.access.push(keep(label, reply.body.access_token));
  };
  const revoke = async (family: Family) => {
    const latest = family.access.at(-1);
    if (!latest) return;
    const { outcome } = await post(latest.state.label, "/oauth2/revoke", { token: latest.text });
    for (const { state } of family.access) state.wrote(outcome, () => undefined);
    family.refresh = undefined;
  };
  const check = async ({ text, state }: Token) => {
    const reply = await client.send("POST", "/oauth2/introspect", { form: form({ token: text }), as });
    if (reply.status !== 200) {
      if (run.isCalm()) ledger.broken(state.label, `introspection returned ${reply.status}: ${reply.text}`);
      return;
    }
    const read = reply.body.active === true ? ("active" as const) : undefined;
    if (state.allows(read)) return;
    const possible = state.possible().map(canonical).join(" or ");
    ledger.broken(state.label, `introspection shows ${canonical(read)}; it must be ${possible}`);
  };

  return {
    async prepare() {
      await must("POST", "/scim2/Users", { userName: name, password: PASSWORD });
      const oidc = { grantTypes: ["client_credentials", "password", "refresh_token"] };
      const body = { name, inboundProtocolConfiguration: { oidc } };
      const id = idInLocation(await must("POST", APPLICATIONS, body));
      const found = await must("GET", "/api/server/v1/api-resources?filter=identifier+eq+/scim2/Users");
      await must("POST", `${APPLICATIONS}/${id}/authorized-apis`, {
        id: found.body.apiResources[0].id,
        policyIdentifier: "RBAC",
        scopes: [SCOPE],
      });
      const shown = await must("GET", `${APPLICATIONS}/${id}/inbound-protocols/oidc`);
      as = basic({ username: shown.body.clientId, password: shown.body.clientSecret });
    },
    async step() {
      const family = families.length > 0 ? dice.pick(families) : undefined;
      const roll = dice.upTo(99);
      if (!family || roll < 30) return issue();
      if (roll < 55 && family.refresh !== undefined) return refresh(family);
      if (roll < 70) return revoke(family);
      const token = family.access.at(-1);
      if (token) await check(token);
    },
    async verify() {
      for (const { access } of families) for (const token of access) await check(token);
    },
  };
};
