/**
 * Creates one of everything over the API. Uses only requests that the first release accepts too, because it records the
 * table of a release.
 */

/** What was created, by a word: ids, names, secrets and tokens of the recorded table. They open nothing else. */
export type Made = Readonly<Record<string, string>>;

/** A response. */
export interface Reply {
  readonly status: number;
  readonly location: string;
  // biome-ignore lint/suspicious/noExplicitAny: the body of any response
  readonly body: any;
}

/** Sends a request. `as` is a user and a password, joined by a colon; a token after `Bearer `; or nothing. */
export type Send = (method: string, path: string, body?: unknown, as?: string) => Promise<Reply>;

/** The administrator of the local service. */
export const ADMIN = "admin:admin";

const REST = "/api/server/v1";
const PATCH = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
/** Ten years: the recorded tokens are valid when a later release reads them. */
const LONG_SECONDS = 315_360_000;

/** Sends requests to a service, and throws an `Error` for a status of 400 or more unless the caller expects it. */
export function sender(url: string): Send {
  return async (method, path, body, as = ADMIN) => {
    const isForm = typeof body === "string";
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(as !== "" && {
          authorization: as.startsWith("Bearer ") ? as : `Basic ${Buffer.from(as).toString("base64")}`,
        }),
        ...(body !== undefined && {
          "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json",
        }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = /json/.test(answer.headers.get("content-type") ?? "");
    return {
      status: answer.status,
      location: answer.headers.get("location")?.split("/").at(-1) ?? "",
      body: text !== "" && isJson ? JSON.parse(text) : undefined,
    };
  };
}

/**
 * Creates everything, with tokens that live so long. Throws an `Error` that names the first request that fails.
 */
export async function everything(send: Send, lifetimeSeconds = LONG_SECONDS): Promise<Made> {
  const made: Record<string, string> = {};
  const expect = async (status: number, ...request: Parameters<Send>): Promise<Reply> => {
    const reply = await send(...request);
    if (reply.status === status) return reply;
    throw new Error(`${request[0]} ${request[1]} returned ${reply.status}: ${JSON.stringify(reply.body)}`);
  };

  // People, with values that lookups find, in groups and roles.
  const user = async (word: string, body: object): Promise<void> => {
    made[word] = (await expect(201, "POST", "/scim2/Users", body)).body.id;
  };
  await user("user", {
    userName: "kim",
    password: "a-good-password",
    externalId: "employee-1",
    name: { givenName: "Kim", familyName: "Müller" },
    emails: [{ value: "kim@example.com", type: "work", primary: true }],
    phoneNumbers: [{ value: "+49 30 1", type: "work" }],
    addresses: [{ type: "work", locality: "Berlin", country: "DE" }],
    active: true,
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Rides" },
  });
  await user("inactive", { userName: "lee", password: "a-good-password", active: false });
  for (let index = 0; index < 12; index += 1)
    await user(`many${index}`, { userName: `many-${index}`, password: "a-good-password" });
  made.group = (
    await expect(201, "POST", "/scim2/Groups", {
      displayName: "drivers",
      members: [{ value: made.user }, { value: made.many0 }],
    })
  ).body.id;
  made.role = (
    await expect(201, "POST", "/scim2/v2/Roles", {
      displayName: "dispatcher",
      permissions: [{ value: "internal_user_mgt_list" }, { value: "internal_application_mgt_view" }],
      users: [{ value: made.user }],
      groups: [{ value: made.group }],
    })
  ).body.id;

  // An API with scopes, and applications with every protocol.
  made.api = (
    await expect(201, "POST", `${REST}/api-resources`, {
      name: "Rides",
      identifier: "https://rides.example",
      scopes: [{ name: "rides:read", displayName: "Read rides" }, { name: "rides:write" }],
    })
  ).body.id;
  const application = async (word: string, body: object): Promise<void> => {
    made[word] = (await expect(201, "POST", `${REST}/applications`, body)).location;
  };
  await application("application", {
    name: "Rides of Kim",
    description: "everything in one",
    claimConfiguration: {
      dialect: "CUSTOM",
      claimMappings: [{ applicationClaim: "mail", localClaim: { uri: "http://wso2.org/claims/emailaddress" } }],
    },
    advancedConfigurations: { saas: false, skipLogoutConsent: true },
    inboundProtocolConfiguration: {
      oidc: { grantTypes: ["client_credentials"], accessToken: { type: "JWT" } },
      saml: {
        manualConfiguration: {
          issuer: "https://rides.example/saml",
          assertionConsumerUrls: ["https://rides.example/acs"],
        },
      },
      passiveSts: { realm: "rides", replyTo: "https://rides.example/sts" },
      wsTrust: { audience: "https://rides.example/trust", certificateAlias: "wso2carbon" },
      custom: [
        { name: "cas", configName: "cas", properties: [{ key: "serviceURL", value: "https://rides.example/login" }] },
      ],
    },
  });
  const oidc = async (word: string): Promise<void> => {
    const { body } = await expect(200, "GET", `${REST}/applications/${made[word]}/inbound-protocols/oidc`);
    Object.assign(made, { [`${word}Client`]: body.clientId, [`${word}Secret`]: body.clientSecret });
  };
  await oidc("application");
  await expect(200, "POST", `${REST}/applications/${made.application}/authorized-apis`, {
    id: made.api,
    policyIdentifier: "RBAC",
    scopes: ["rides:read"],
  });
  const users = await expect(200, "GET", `${REST}/api-resources?filter=identifier+eq+/scim2/Users`);
  made.usersApi = users.body.apiResources[0].id;
  const listing = { id: made.usersApi, policyIdentifier: "RBAC", scopes: ["internal_user_mgt_list"] };
  await expect(200, "POST", `${REST}/applications/${made.application}/authorized-apis`, listing);
  await expect(200, "PUT", `${REST}/applications/resident`, { inboundProvisioning: { proxyMode: true } });
  made.template = (
    await expect(201, "POST", `${REST}/applications/templates`, {
      name: "a template",
      description: "for rides",
      application: { name: "", advancedConfigurations: { saas: true } },
    })
  ).location;

  // Tokens of every kind, and what ends them.
  await application("long", {
    name: "long tokens",
    inboundProtocolConfiguration: {
      oidc: {
        grantTypes: ["client_credentials", "password", "refresh_token"],
        accessToken: {
          type: "Default",
          userAccessTokenExpiryInSeconds: lifetimeSeconds,
          applicationAccessTokenExpiryInSeconds: lifetimeSeconds,
        },
        refreshToken: { expiryInSeconds: lifetimeSeconds, renewRefreshToken: true },
      },
    },
  });
  await oidc("long");
  await expect(200, "POST", `${REST}/applications/${made.long}/authorized-apis`, listing);
  const token = async (word: string, form: string): Promise<void> => {
    const client = `${made[`${word}Client`]}:${made[`${word}Secret`]}`;
    const { body } = await expect(200, "POST", "/oauth2/token", form, client);
    Object.assign(made, { token: body.access_token, ...(body.refresh_token && { refreshToken: body.refresh_token }) });
  };
  const SCOPE = "scope=internal_user_mgt_list";
  const byPassword = `grant_type=password&username=kim&password=a-good-password&${SCOPE}`;
  // The first JWT creates the signing keys.
  await token("application", `grant_type=client_credentials&${SCOPE}`);
  await token("long", byPassword);
  const client = `${made.longClient}:${made.longSecret}`;
  await expect(200, "POST", "/oauth2/revoke", `token=${made.token}`, client);
  made.revokedToken = made.token ?? "";
  await token("long", `${byPassword}`);
  made.userToken = made.token ?? "";
  await token("long", `grant_type=client_credentials&${SCOPE}`);
  // Another password ends the tokens of the user before it: the log of revocations.
  await expect(200, "PATCH", `/scim2/Users/${made.many1}`, {
    schemas: PATCH,
    Operations: [{ op: "replace", value: { password: "another-password" } }],
  });
  // A locked name, and a wrong secret of a client.
  for (let attempt = 0; attempt < 11; attempt += 1) await send("GET", "/scim2/Me", undefined, "many-2:wrong-password");
  await send("POST", "/oauth2/token", "grant_type=client_credentials", `${made.longClient}:wrong`);

  // Another tenant.
  const owner = {
    username: "boss",
    password: "a-good-password",
    email: "boss@tenant.example",
    firstname: "B",
    lastname: "O",
  };
  made.tenant = (
    await expect(201, "POST", `${REST}/tenants`, {
      domain: "tenant.example",
      owners: [{ ...owner, provisioningMethod: "inline-password" }],
    })
  ).location;
  made.tenantApplication = (
    await expect(
      201,
      "POST",
      `/t/tenant.example${REST}/applications`,
      { name: "of the tenant" },
      "boss@tenant.example:a-good-password",
    )
  ).location;
  return made;
}
