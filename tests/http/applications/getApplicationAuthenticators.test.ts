import { expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask, create } = world();
const authenticators = (id: string) => ask("GET", `${APPLICATIONS}/${id}/authenticators`);

test("returns the default sequence for an application without steps", async () => {
  const answer = await authenticators(await create({ name: "plain" }));
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual([
    {
      stepId: 1,
      localAuthenticators: [{ name: "Username & Password", type: "BasicAuthenticator" }],
      federatedAuthenticators: [],
    },
  ]);
});

test("returns steps in order, with display names of local and identity providers of federated authenticators", async () => {
  const steps = [
    { id: 2, options: [{ idp: "LOCAL", authenticator: "totp" }] },
    {
      id: 1,
      options: [
        { idp: "Google", authenticator: "GoogleOIDCAuthenticator" },
        { idp: "LOCAL", authenticator: "FIDOAuthenticator" },
      ],
    },
  ];
  const id = await create({ name: "steps", authenticationSequence: { type: "USER_DEFINED", steps } });
  expect((await authenticators(id)).body).toEqual([
    {
      stepId: 1,
      localAuthenticators: [{ name: "Passkey", type: "FIDOAuthenticator" }],
      federatedAuthenticators: [{ name: "Google", type: "GoogleOIDCAuthenticator" }],
    },
    { stepId: 2, localAuthenticators: [{ name: "TOTP", type: "totp" }], federatedAuthenticators: [] },
  ]);
});

test("returns 404 for an unknown application", async () => {
  expect((await authenticators("00000000-0000-0000-0000-000000000000")).body.code).toBe("APP-60006");
});
