/** The HTML of the pages. Documents bring their own content; everything else is here. */

/** Paths of the parts that pages load, and the version of the service. */
export interface Assets {
  readonly version: string;
  readonly style: string;
  readonly icon: string;
  readonly picture: string;
  readonly homeScript: string;
  readonly referenceScript: string;
  readonly explorer: string;
  readonly document: string;
}

/** One page of docs/. */
export interface DocumentContent {
  readonly title: string;
  readonly html: string;
  readonly path: string;
}

/** The guides, in the order of a newcomer's way. */
const guides: readonly { readonly path: string; readonly title: string; readonly text: string }[] = [
  { path: "first-application", title: "First application", text: "Register an application and request a token." },
  { path: "roles-and-scopes", title: "Roles and scopes", text: "Give users exactly the rights that they need." },
  { path: "okta", title: "Connect Okta", text: "Provision users and groups from Okta through SCIM." },
  { path: "entra-id", title: "Connect Entra ID", text: "Provision users and groups from Entra ID through SCIM." },
  { path: "certificates", title: "Certificates", text: "Sign in with a client certificate instead of a password." },
  { path: "move-from-wso2", title: "Move from WSO2", text: "Move applications, and users with their passwords." },
  { path: "changes-and-undo", title: "Changes and undo", text: "See who changed what, and undo it." },
  {
    path: "second-administrator",
    title: "A second administrator",
    text: "Avoid being locked out by one lost password.",
  },
];

const links: readonly { readonly path: string; readonly title: string }[] = [
  { path: "/", title: "Home" },
  { path: "/reference", title: "API reference" },
  { path: "/docs", title: "Documents" },
];

/** The page at `/`. */
export function home(assets: Assets): string {
  const cards = guides
    .map(({ path, title, text }) => `<li><a href="/docs/guides/${path}">${title}</a><p>${text}</p></li>`)
    .join("\n");
  const content = `<h1>Identity Admin API</h1>
<p class="lead">Applications, users, groups, roles, tenants and tokens of an identity provider, through the REST and
SCIM APIs of WSO2 Identity Server, and sign-in with OpenID Connect.</p>
<p id="state" class="state" role="status">Checking the service. This requires JavaScript.</p>
<p class="actions"><a class="button" href="/reference">Try the API</a>
<a class="button plain" href="/docs/guides/first-application">First application</a>
<a class="button plain" href="/docs/sign-in">Sign people in</a>
<a class="button plain" id="demo" href="/demo" hidden>Sign in to the demo</a></p>
<h2>A first request</h2>
<p>List the users. On your own machine, the user name and the password of the administrator are both
<code>admin</code>.</p>
<pre tabindex="0"><code id="request">curl -u admin 'http://127.0.0.1:3000/scim2/Users?attributes=userName'</code></pre>
<h2>Guides</h2>
<ul class="cards">
${cards}
</ul>
<h2>Architecture</h2>
<p class="scroll" tabindex="0"><img src="${assets.picture}" width="1000" height="430"
alt="Clients call the gateway. It asks the authorizer, then a function for the domain, which uses one DynamoDB table.
Changes go to webhooks, EventBridge and receivers of SCIM events."></p>
<h2>For programs</h2>
<ul>
<li><a href="/openapi.json">/openapi.json</a>: all operations, as an OpenAPI 3.1 document</li>
<li><a href="/.well-known/oauth-authorization-server">/.well-known/oauth-authorization-server</a>: the metadata of the
token endpoint (RFC 8414)</li>
<li><a href="/oauth2/jwks">/oauth2/jwks</a>: the keys that verify tokens</li>
</ul>
<p>People can sign in to the applications that are registered here <a href="/docs/sign-in">with OpenID Connect</a>.</p>`;
  return page(assets, { title: "Identity Admin API", path: "/", content, scripts: [assets.homeScript] });
}

/** The reference: it takes a credential and a tenant, shows every operation, and sends requests. */
export function reference(assets: Assets): string {
  const field = (kinds: string, name: string, label: string, type = "text") =>
    `<label data-kinds="${kinds}">${label} <input name="${name}" type="${type}" autocomplete="off" spellcheck="false"></label>`;
  const content = `<section class="credential" aria-labelledby="credential-title">
<h1 class="hidden">API reference</h1>
<h2 id="credential-title">Send requests as</h2>
<form id="credential">
<label>Credential <select name="kind">
<option value="basic">User name and password</option><option value="bearer">Access token</option>
<option value="client">Client credentials</option><option value="none">No credential</option></select></label>
${field("basic", "user", "User name")}
${field("basic", "password", "Password", "password")}
${field("bearer", "token", "Access token", "password")}
${field("client", "client", "Client ID")}
${field("client", "secret", "Client secret", "password")}
${field("client", "scope", "Scopes, separated by spaces")}
${field("basic bearer client none", "tenant", "Tenant (empty: carbon.super)")}
<button id="apply">Use</button>
<label class="narrow">Operation <select id="operation"></select></label>
</form>
<p id="applied" role="status">No credential yet. It is kept only in this page, until you close or reload it.</p>
</section>
<openapi-explorer id="explorer" hide-authentication="true" hide-server-selection="true" collapse="true"
default-schema-tab="body" fetch-credentials="omit" data-document="${assets.document}"></openapi-explorer>
<noscript><p>The reference requires JavaScript. The <a href="/docs/operations-table">table of operations</a>
does not.</p></noscript>`;
  return page(assets, {
    title: "API reference",
    path: "/reference",
    content,
    scripts: [assets.explorer, assets.referenceScript],
    isWide: true,
  });
}

/** A document of docs/. */
export function documentPage(assets: Assets, { title, html, path }: DocumentContent): string {
  return page(assets, { title, path, content: html });
}

/** The page for paths that do not exist. */
export function notFound(assets: Assets): string {
  const content = `<h1>Page not found</h1>
<p><a href="/">Home</a>, <a href="/reference">the reference of the API</a>, or <a href="/docs">all documents</a>.</p>`;
  return page(assets, { title: "Page not found", path: "", content });
}

interface Page {
  readonly title: string;
  readonly path: string;
  readonly content: string;
  /** Loaded in this order. */
  readonly scripts?: readonly string[];
  /** True for the reference, whose component has a main part of its own. */
  readonly isWide?: true;
}

function page(assets: Assets, { title, path, content, scripts = [], isWide }: Page): string {
  const isHere = (one: string) => one === path || (one === "/docs" && path.startsWith("/docs/"));
  const navigation = links
    .map(({ path: to, title: name }) => {
      return `<li><a href="${to}"${isHere(to) ? ' aria-current="page"' : ""}>${name}</a></li>`;
    })
    .join("");
  const loaded = scripts.map((one) => `<script type="module" src="${one}"></script>\n`).join("");
  const body = isWide
    ? content
    : `<main id="content">\n${content}\n</main>\n<footer><p>Version ${assets.version} · Apache-2.0</p></footer>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title === "Identity Admin API" ? title : `${title} · Identity Admin API`}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style}">
${loaded}</head>
<body${isWide ? ' class="wide"' : ""}>
<header><a class="skip" href="#${isWide ? "explorer" : "content"}">Skip to the content</a>
<a class="brand" href="/">Identity Admin API</a>
<nav aria-label="Site"><ul>${navigation}</ul></nav></header>
${body}
</body>
</html>
`;
}
