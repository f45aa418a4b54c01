/** The pages of the demo. */
import { type Html, html } from "#core/sign-in/pages/html.ts";
import type { Profile } from "./node-saml.js";
import type { SignedIn } from "./relying-party.ts";

/** The style of all pages. Its digest is in the policy of the demo. */
export const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
pre, code { overflow-wrap: anywhere; white-space: pre-wrap; }
pre { padding: .75rem; border: 1px solid; border-radius: .5rem; }
form { display: inline; }
button, .button { display: inline-block; padding: .5rem 1rem; border: 1px solid; border-radius: .5rem; font: inherit;
  color: inherit; background: none; text-decoration: none; cursor: pointer; }
[role="alert"] { padding: .75rem; border: 2px solid; border-radius: .5rem; }
`;

/** Before the applications exist at the service. */
export function registrationPage(service: string): string {
  return page(
    html`<h1>A relying party to try</h1>
<p>This program is an application that people sign in to. It runs on an address of its own, knows the service
<code>${service}</code> by its discovery document alone, and uses the client library <code>openid-client</code>.</p>
<p>It is not registered yet. The button registers it as the administrator of this local service: five public clients,
which must use PKCE, one for each way to sign in, and a service provider of SAML.</p>
<form method="post" action="/register"><button type="submit">Register the applications</button></form>`,
  );
}

/** For a person who is not signed in here. */
export function signedOutPage(administrator: string): string {
  return page(
    html`<h1>You are not signed in</h1>
<p>The service asks for a user name and a password: those of <code>${administrator}</code>, or of any user that you
create.</p>
<p><a class="button" href="/sign-in">Sign in</a>
<a class="button" href="/sign-in?with=code">Sign in with a one-time code</a>
<a class="button" href="/sign-in?with=passkey">Sign in with a passkey</a></p>
<p>The first time, a page helps to set up the code or the passkey. Use an account that you create for it: one with codes
or passkeys gets no token by its password alone.</p>
<p>Without a password: with the passkey that is set up, or as a user with an e-mail address.</p>
<p><a class="button" href="/sign-in?with=alone">Sign in with a passkey alone</a>
<a class="button" href="/sign-in?with=mail">Sign in by mail</a>
<a class="button" href="/outbox">Mails of the service</a></p>
<p>By another protocol: the demo is a service provider of SAML 2.0, too, by the library <code>node-saml</code>.</p>
<p><a class="button" href="/saml/sign-in">Sign in by SAML</a></p>`,
  );
}

/** For a person who is signed in: the tokens, readable. */
export function signedInPage(person: SignedIn): string {
  const { way, idClaims, userInfo, idToken, accessToken, refreshToken, scope, expiresIn } = person;
  return page(
    html`<h1>You are signed in</h1>
<p>
${refreshToken === undefined ? undefined : postButton("/refresh", "Refresh the tokens")}
<a class="button" href="/sign-in?with=${way}">Sign in again (single sign-on)</a>
<a class="button" href="/sign-in?with=${way}&amp;prompt=login">Prove it again</a>
${postButton("/sign-out", "Sign out")}
</p>
<h2>Claims of the ID token</h2>
<pre id="id-claims">${json(idClaims)}</pre>
<h2>Answer of UserInfo</h2>
<pre id="user-info">${json(userInfo)}</pre>
<h2>Tokens</h2>
<p>Granted scopes: <code>${scope ?? "those that were requested"}</code>. The access token expires
${expiresIn === undefined ? "at a time that the service does not tell" : `in ${expiresIn} seconds`}.</p>
<details><summary>ID token</summary><pre>${idToken}</pre></details>
<details><summary>Access token</summary><pre id="access-token">${accessToken}</pre></details>
${refreshToken === undefined ? undefined : html`<details><summary>Refresh token</summary><pre>${refreshToken}</pre></details>`}
<p>A real application keeps tokens to itself. This one shows them, because it has no other purpose.</p>`,
  );
}

/** For a person who is signed in by SAML: what the assertion says. */
export function samlPage({ nameID, nameIDFormat, sessionIndex, attributes }: Profile): string {
  return page(
    html`<h1>You are signed in by SAML</h1>
<p>
<a class="button" href="/saml/sign-in">Sign in again (single sign-on)</a>
${postButton("/saml/sign-out", "Sign out")}
</p>
<h2>Name</h2>
<pre id="name">${json({ nameID, nameIDFormat, sessionIndex })}</pre>
<h2>Attributes</h2>
<pre id="attributes">${json((attributes as object | undefined) ?? {})}</pre>
<p>Single logout ends the session for the applications of OpenID Connect, too.</p>`,
  );
}

/** What went wrong, in the words of the service or the library. */
export function problemPage(problem: string): string {
  return page(
    html`<h1>The sign-in did not work</h1>
<p role="alert">${problem}</p>
<p><a class="button" href="/">Start again</a></p>`,
  );
}

function postButton(action: string, text: string): Html {
  return html`<form method="post" action="${action}"><button type="submit">${text}</button></form>`;
}

function json(value: object): string {
  return JSON.stringify(value, undefined, 2);
}

/** A page of the demo. */
export function page(content: Html): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A relying party to try</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${content.text}
</main>
</body>
</html>
`;
}
