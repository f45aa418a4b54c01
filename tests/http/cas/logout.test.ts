/** Services are told of sessions that have ended (CAS protocol 3.0 section 2.3.3). */
import { beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "#tests/support/browsing.ts";
import { casOf, casPath } from "#tests/support/cas.ts";
import { receiver } from "#tests/support/receiver.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const inbox = receiver();
const api = world({ delivers: true });
const { newApplication, ticketIn, login, enter, browser, requestOf } = casOf(api);
const { newApplication: newClient, answerOf } = signInOf(api);
let kim = "";

beforeAll(async () => {
  const body = { userName: PERSON.username, password: PERSON.password };
  kim = (await api.ask("POST", "/scim2/Users", { body })).body.id;
});

const signedIn = async (service: string) => {
  const page = browser();
  await login(page, service);
  return { page, ticket: ticketIn(await enter(page)) };
};
const signOut = async (page: Browser) => {
  await page.open(casPath("logout"));
  expect((await page.submit({})).title).toBe("You are signed out");
};
/** The ticket and the name in a message. */
const toldIn = (message: { readonly text: string } | undefined) => {
  const xml = new URLSearchParams(message?.text).get("logoutRequest") ?? "";
  return {
    ticket: /<samlp:SessionIndex>([^<]*)<\/samlp:SessionIndex>/.exec(xml)?.[1],
    name: /<saml:NameID>([^<]*)</.exec(xml)?.[1],
    root: /^<samlp:LogoutRequest xmlns:saml="[^"]*" xmlns:samlp="[^"]*" ID="_[^"]+" IssueInstant="[^"]+Z" Version="2.0">/.test(
      xml,
    ),
  };
};

describe("a request to log out", () => {
  test("goes to each service of the session, with its latest ticket, and to no other session", async () => {
    await newApplication({ serviceURL: inbox.url("/portal/*") });
    await newApplication({ serviceURL: inbox.url("/mail") });
    await newApplication({ serviceURL: inbox.url("/other") });
    const { page } = await signedIn(inbox.url("/portal/one?x=1"));
    const latest = ticketIn(await login(page, inbox.url("/portal/one?x=2")));
    const second = ticketIn(await login(page, inbox.url("/portal/two")));
    const third = ticketIn(await login(page, inbox.url("/mail")));
    await signedIn(inbox.url("/other"));
    await signOut(page);
    const [toOne] = await inbox.waitFor("/portal/one?x=2", 1);
    expect(toOne?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect(toldIn(toOne)).toEqual({ ticket: latest, name: PERSON.username, root: true });
    expect(toldIn((await inbox.waitFor("/portal/two", 1))[0]).ticket).toBe(second);
    expect(toldIn((await inbox.waitFor("/mail", 1))[0]).ticket).toBe(third);
    expect([inbox.at("/portal/one?x=1"), inbox.at("/other")]).toEqual([[], []]);
  });
  test("logoutURL: goes there where the application has one", async () => {
    await newApplication({ serviceURL: inbox.url("/shop"), logoutURL: inbox.url("/told?by=cas") });
    const { page, ticket } = await signedIn(inbox.url("/shop"));
    await signOut(page);
    expect(toldIn((await inbox.waitFor("/told?by=cas", 1))[0]).ticket).toBe(ticket);
    expect(inbox.at("/shop")).toEqual([]);
  });
  test("is sent again where the service does not take it", async () => {
    await newApplication({ serviceURL: inbox.url("/slow") });
    const { page, ticket } = await signedIn(inbox.url("/slow"));
    inbox.respond("/slow", (_, response) => {
      response.writeHead(inbox.at("/slow").length < 2 ? 503 : 200).end();
    });
    await signOut(page);
    const told = await inbox.waitFor("/slow", 2);
    expect(told.map((each) => toldIn(each).ticket)).toEqual([ticket, ticket]);
  });
  test("goes with those of OpenID Connect of the same session", async () => {
    await newApplication({ serviceURL: inbox.url("/both") });
    const client = await newClient({ logout: { backChannelLogoutUrl: inbox.url("/openid") } });
    const { page, ticket } = await signedIn(inbox.url("/both"));
    answerOf(await page.open(requestOf(client)));
    await page.open("/oidc/logout");
    await page.submit({});
    expect(toldIn((await inbox.waitFor("/both", 1))[0]).ticket).toBe(ticket);
    expect((await inbox.waitFor("/openid", 1))[0]?.text).toMatch(/^logout_token=/);
  });
  test("goes where an administrator ends the session, but not after CAS was removed from the application", async () => {
    await newApplication({ serviceURL: inbox.url("/ended") });
    const gone = await newApplication({ serviceURL: inbox.url("/gone") });
    const { page } = await signedIn(inbox.url("/ended"));
    ticketIn(await login(page, inbox.url("/gone")));
    expect((await api.ask("DELETE", `${APPLICATIONS}/${gone.id}/inbound-protocols/cas`)).status).toBe(204);
    expect((await api.ask("DELETE", `/api/users/v1/${kim}/sessions`)).status).toBe(204);
    await inbox.waitFor("/ended", 1);
    expect(inbox.at("/gone")).toEqual([]);
  });
});
