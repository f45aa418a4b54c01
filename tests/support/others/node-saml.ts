/** The library node-saml as a running service provider, in this process. */
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { type Profile, SAML } from "../saml-libraries.js";
import { type Kind, type Other, originOf, type Told } from "./program.ts";

export const nodeSaml: Kind = {
  name: "node-saml",
  install: "npm install",
  isInstalled: true,
  user: /^kim@cars\.example$/,
  start: async (told) => {
    const saml = samlOf(told);
    const sessions = new Map<string, Profile>();
    const server = createServer((request, response) => {
      answerTo(request, saml, sessions, originOf(told)).then(
        ({ location, html, cookie }) => {
          response.writeHead(location ? 303 : 200, {
            ...(location && { location }),
            ...(cookie && { "set-cookie": `sid=${cookie}` }),
          });
          response.end(html);
        },
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    server.listen(told.port, "127.0.0.1");
    await new Promise((done) => server.once("listening", done));
    return otherOf(told, saml, server);
  },
};

const samlOf = ({ metadata, entityId, key, ...told }: Told) =>
  new SAML({
    entryPoint: `${entityId}/samlsso`,
    logoutUrl: `${entityId}/samlsso`,
    issuer: `${originOf(told)}/metadata`,
    callbackUrl: `${originOf(told)}/acs`,
    logoutCallbackUrl: `${originOf(told)}/slo`,
    idpCert: /X509Certificate>([^<]+)</.exec(metadata)?.[1] ?? "",
    idpIssuer: entityId,
    audience: `${originOf(told)}/metadata`,
    validateInResponseTo: "always",
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    identifierFormat: null,
    privateKey: key.key,
    publicCert: key.certificate,
    signatureAlgorithm: "sha256",
    digestAlgorithm: "sha256",
  });

const otherOf = (told: Told, saml: SAML, server: ReturnType<typeof createServer>): Other => ({
  metadata: saml
    .generateServiceProviderMetadata(null, told.key.certificate)
    // The library names HTTP-POST, and takes messages by redirect too.
    .replace(/(SingleLogoutService Binding="[^"]*:)HTTP-POST/, "$1HTTP-Redirect"),
  page: `${originOf(told)}/page`,
  userOn: ({ html }) => /^signed in: (.*)$/.exec(html)?.[1],
  left: /^you have left$/,
  logouts: { "by redirect": `${originOf(told)}/logout` },
  written: async () => "",
  close: async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  },
});

interface Answer {
  readonly location?: string;
  readonly html?: string;
  readonly cookie?: string;
}

async function answerTo(
  request: IncomingMessage,
  saml: SAML,
  sessions: Map<string, Profile>,
  origin: string,
): Promise<Answer> {
  const url = new URL(request.url ?? "", origin);
  const sid = /sid=(\w+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
  const known = sessions.get(sid);
  const fields = Object.fromEntries(url.searchParams);
  switch (url.pathname) {
    case "/page":
      return known ? { html: `signed in: ${known.nameID}` } : { location: await saml.getAuthorizeUrlAsync("", "", {}) };
    case "/acs": {
      const posted = Object.fromEntries(new URLSearchParams(await text(request)));
      const { profile } = await saml.validatePostResponseAsync(posted);
      if (!profile) throw new Error("no profile");
      const cookie = Math.random().toString(36).slice(2);
      sessions.set(cookie, profile);
      return { location: `${origin}/page`, cookie };
    }
    case "/logout":
      return known ? { location: await saml.getLogoutUrlAsync(known, "", {}) } : { html: "no one is signed in" };
    case "/slo": {
      const { profile } = await saml.validateRedirectAsync(fields, url.search.slice(1));
      sessions.delete(sid);
      if (!profile) return { html: "you have left" };
      return { location: await saml.getLogoutResponseUrlAsync(profile, fields.RelayState ?? "", {}, true) };
    }
    default:
      return { html: "nothing here" };
  }
}
