/** Managers of applications with fewer scopes than the applications, and what they can gain (decision 0061). */
import { afterEach, beforeAll, expect } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { API, type Change, SCOPE, type Send, states } from "./application-changes.ts";
import { oauthOf, TOKEN } from "./oauth.ts";
import { addUser } from "./people.ts";
import { APPLICATIONS, basic, type World } from "./world.ts";

const password = "a-long-password";
interface Who {
  readonly username: string;
  readonly password: string;
}
/** May make every change of an application, and has no scope of it. */
export const manager: Who = { username: "manager", password };
/** A manager with the scopes of the applications. */
export const rich: Who = { username: "rich", password };
/** A manager who may authorize applications for any scope. */
export const able: Who = { username: "able", password };

/** The operations that change one application. */
export const writes = Object.entries(operations).filter(
  ([, { method, path }]) =>
    method !== "GET" &&
    path.startsWith(APPLICATIONS) &&
    (path.includes("{applicationId}") || (method === "PUT" && path.endsWith("/import"))),
);
const viewing = ["internal_application_mgt_view", "internal_application_mgt_client_secret_view"];
const managing = [...new Set([...viewing, ...writes.map(([, { scope }]) => scope)])];
const SETTINGS = ["oidc", "saml", "passive-sts", "ws-trust", "cas"].map((name) => `/inbound-protocols/${name}`);

/** Adds the managers to a service before the first test, and removes the applications of each test after it. */
export const limitedManagers = (api: World) => {
  const oauth = oauthOf(api);
  const ids: string[] = [];
  let kept: string[] = [];
  let made = 0;

  beforeAll(async () => {
    await addUser(api.service, { ...manager, scopes: managing });
    const own = [SCOPE, "internal_user_mgt_view", "internal_group_mgt_view"];
    await addUser(api.service, { ...rich, scopes: [...managing, ...own] });
    await addUser(api.service, { ...able, scopes: [...managing, "internal_application_internal_api_update"] });
  });
  // Issuers, realms and client ids are free again for the next test.
  afterEach(() => remove(ids.splice(0)));
  const remove = async (some: readonly string[]) => {
    for (const id of some) await api.ask("DELETE", `${APPLICATIONS}/${id}`);
  };

  const as =
    (who: Who): Send =>
    (method, path, ask = {}) =>
      api.ask(method, path, { ...ask, as: who });

  return {
    as,

    /** Keeps the application of this test for the next one: nothing has changed it. */
    keep(): void {
      kept = ids.splice(0);
    },

    /** The application that the last test kept. */
    reused(): string | undefined {
      ids.push(...kept.splice(0));
      return ids[0];
    },

    /** Creates an application as the administrator. It is removed after the test. */
    async created(state: Change["state"]): Promise<string> {
      made += 1;
      await remove(kept.splice(0));
      const id = await api.create({ ...states[state], name: `${state} ${made}` });
      ids.push(id);
      if (state === "rotating") await api.ask("POST", `${APPLICATIONS}/${id}/inbound-protocols/oidc/secrets`);
      if (state === "revoked") await api.ask("POST", `${APPLICATIONS}/${id}/inbound-protocols/oidc/revoke`);
      return id;
    },

    /** Authorizes an application for `SCOPE`, as the administrator. */
    async authorize(id: string): Promise<void> {
      const path = `${APPLICATIONS}/${id}/authorized-apis`;
      expect((await api.ask("POST", path, { body: { id: API, scopes: [SCOPE] } })).status).toBe(200);
    },

    /** All that shows an application. */
    async snapshot(id: string): Promise<readonly unknown[]> {
      const paths = ["", ...SETTINGS, "/authorized-apis"];
      const answers = await Promise.all(paths.map((path) => api.ask("GET", `${APPLICATIONS}/${id}${path}`)));
      return answers.map(({ body }) => ({ ...body, traceId: "" }));
    },

    /** Whether the manager, with all that it can read or choose, gets a token with `SCOPE`. */
    async getsScope(id: string): Promise<boolean> {
      const { body } = await as(manager)("GET", `${APPLICATIONS}/${id}/inbound-protocols/oidc`);
      const { clientId = "", clientSecret = "" } = body ?? {};
      const asked = { grant_type: "client_credentials", scope: SCOPE };
      const chosen = { clientId: "mine", clientSecret: "a-secret-of-my-own-which-is-long" };
      const answers = await Promise.all([
        oauth.post(TOKEN, asked, { applicationId: id, clientId, clientSecret }),
        oauth.post(TOKEN, { ...asked, client_id: clientId }),
        oauth.post(TOKEN, asked, { applicationId: id, ...chosen }),
      ]);
      return answers.some(({ body: token }) => String(token?.scope ?? "").includes(SCOPE));
    },

    /** Imports a file. The application of a POST is removed after the test. */
    async upload(method: "POST" | "PUT", text: string, who: Who) {
      const form = new FormData();
      form.set("file", new Blob([text]), "app.xml");
      const init = { method, headers: { authorization: basic(who) }, body: form };
      const answer = await fetch(`${api.url}${APPLICATIONS}/import`, init);
      const body = (await answer.json()) as { readonly applicationId: string; readonly code?: string };
      if (method === "POST") ids.push(body.applicationId);
      return { status: answer.status, body };
    },
  };
};
