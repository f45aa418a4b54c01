/** Helpers for the tests of application files. */
import { readFile } from "node:fs/promises";
import { parseXml, XmlElement } from "@rgrove/parse-xml";
import type { Answer, Ask, World } from "#tests/support/world.ts";
import { APPLICATIONS } from "#tests/support/world.ts";

/** The application file of WSO2's own tests. */
export const sampleFile = (): Promise<string> =>
  readFile(new URL("../data/wso2/sample-sp-import-super-tenant.xml", import.meta.url), "utf8");

const BOUNDARY = "----a-boundary-of-the-tests";

/** One part of an upload. */
export interface UploadPart {
  readonly name?: string;
  readonly content: string | Uint8Array;
  readonly headers?: string;
}

/** The bytes of a multipart body. */
export const multipart = (...parts: readonly UploadPart[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ name, content, headers }) => [
      Buffer.from(
        `--${BOUNDARY}\r\n${headers ?? `Content-Disposition: form-data; name="${name}"; filename="app.xml"\r\nContent-Type: application/xml`}\r\n\r\n`,
      ),
      Buffer.from(content),
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);

export const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Uploads a file as a multipart body. */
export const upload = (
  { ask }: Pick<World, "ask">,
  method: "POST" | "PUT",
  content: string | Uint8Array,
  as?: Ask["as"],
): Promise<Answer> =>
  ask(method, `${APPLICATIONS}/import`, {
    raw: multipart({ name: "file", content }),
    headers: { "content-type": MULTIPART_TYPE },
    ...(as !== undefined && { as }),
  });

/** The id in the Location header. */
export const idIn = ({ headers }: Answer): string => headers.get("location")?.split("/").at(-1) ?? "";

/** The text of an export. */
export const exported = async ({ ask }: Pick<World, "ask">, id: string, query = ""): Promise<string> => {
  const answer = await ask("GET", `${APPLICATIONS}/${id}/export${query}`);
  if (answer.status !== 200) throw new Error(`export returned ${answer.status}: ${answer.text}`);
  return answer.text;
};

/** The content of a test file. */
export interface FileParts {
  readonly name?: string;
  /** Further elements. */
  readonly extra?: string;
  readonly inbound?: string;
  readonly signIn?: string;
}

const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** A small file. */
export const fileOf = ({ name = "small", extra = "", inbound = "", signIn = "" }: FileParts = {}): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<ServiceProvider>
  <ApplicationName>${escapeXml(name)}</ApplicationName>
  <InboundAuthenticationConfig><InboundAuthenticationRequestConfigs>${inbound}</InboundAuthenticationRequestConfigs></InboundAuthenticationConfig>
  <LocalAndOutBoundAuthenticationConfig>${signIn}</LocalAndOutBoundAuthenticationConfig>
  ${extra}
</ServiceProvider>
`;

/** An entry of an inbound protocol; `document` is its CDATA. */
export const entry = (type: string, key: string, document?: string, properties = ""): string =>
  `<InboundAuthenticationRequestConfig><InboundAuthKey>${escapeXml(key)}</InboundAuthKey><InboundAuthType>${type}</InboundAuthType>
   <InboundConfigType>standardAPP</InboundConfigType>${document === undefined ? "" : `<inboundConfiguration><![CDATA[${document}]]></inboundConfiguration>`}
   <Properties>${properties}</Properties></InboundAuthenticationRequestConfig>`;

/** The entry of an OAuth2 client. */
export const oauthEntry = (key: string, inside = "", documentKey = key): string =>
  entry(
    "oauth2",
    key,
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<oAuthAppDO><oauthConsumerKey>${documentKey}</oauthConsumerKey><callbackUrl>https://${key}.example/cb</callbackUrl>
<grantTypes>authorization_code refresh_token </grantTypes>${inside}</oAuthAppDO>`,
  );

/** The entry of a SAML service provider. */
export const samlEntry = (issuer: string, inside = ""): string =>
  entry(
    "samlsso",
    issuer,
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<samlssoServiceProviderDTO><issuer>${issuer}</issuer>
<assertionConsumerUrls><assertionConsumerUrl>https://sp.example/acs</assertionConsumerUrl></assertionConsumerUrls>${inside}</samlssoServiceProviderDTO>`,
  );

/** A property of an entry. */
export const property = (name: string, value: string, isConfidential = false): string =>
  `<Property><Name>${name}</Name><Value>${value}</Value><IsConfidential>${isConfidential}</IsConfidential></Property>`;

/** The texts and attributes of a document and its nested documents, each with its path. */
export const leavesOf = (xml: string): string[] => {
  const leaves: string[] = [];
  const walk = (element: XmlElement, path: string) => {
    const children = element.children.filter((child) => child instanceof XmlElement);
    for (const [name, value] of Object.entries(element.attributes)) leaves.push(`${path}@${name}=${value}`);
    for (const child of children) walk(child, `${path}/${child.name}`);
    if (children.length > 0) return;
    const text = element.text.trim();
    if (text.startsWith("<?xml")) leaves.push(...leavesOf(text).map((leaf) => `${path}!${leaf}`));
    else leaves.push(`${path}=${text}`);
  };
  const { root } = parseXml(xml);
  if (root) walk(root, root.name);
  return leaves;
};
