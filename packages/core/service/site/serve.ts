/**
 * Answers requests for the page at `/`, its documents and their parts, and the API document: static files, the same for
 * everyone. There is no cookie, no credential is read, and nothing is loaded from another origin (decision 0107).
 */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { encodings, type FrontFile, type FrontFiles, NOT_FOUND, type Policy } from "./files.ts";

type Answer = APIGatewayProxyStructuredResultV2;

/** What a page may load: parts of this origin. No inline script, no form, no frame. */
const base = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
];

const NOTHING = "default-src 'none'; frame-ancestors 'none'; sandbox";

const policies: Readonly<Record<Policy, string>> = {
  page: [...base, "require-trusted-types-for 'script'", "trusted-types 'none'"].join("; "),
  // The reference sets styles by attributes of elements. Its answers may be files and pictures of the API.
  reference: [...base, "style-src-attr 'unsafe-inline'", "media-src blob:"].join("; "),
  asset: NOTHING,
  document: NOTHING,
};

const common = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
};

const REVALIDATE = "no-cache";

const caching: Readonly<Record<Policy, string>> = {
  page: REVALIDATE,
  reference: REVALIDATE,
  // A name with a hash in it never changes its content.
  asset: "public, max-age=31536000, immutable",
  // As discovery documents.
  document: "public, max-age=3600",
};

/** Serves the files: 200, 304, 404 with a page, and 405. */
export function serveFront(files: FrontFiles): (event: APIGatewayProxyEventV2) => Promise<Answer> {
  return async ({ rawPath, headers, requestContext }) => {
    const { method } = requestContext.http;
    if (method !== "GET" && method !== "HEAD") {
      return textAnswer(405, `This path has no ${method.slice(0, 20)}, only GET and HEAD.`, { allow: "GET, HEAD" });
    }
    const index = await files.index();
    const path = rawPath.length > 1 ? rawPath.replace(/\/$/, "") : "/";
    const found = path !== NOT_FOUND && Object.hasOwn(index.files, path) ? index.files[path] : undefined;
    if (found) return fileAnswer(200, found, headers, files);
    const page = index.files[NOT_FOUND];
    return page ? fileAnswer(404, page, {}, files) : textAnswer(404, "There is nothing here. Go to /.");
  };
}

async function fileAnswer(
  status: number,
  file: FrontFile,
  request: APIGatewayProxyEventV2["headers"],
  files: FrontFiles,
): Promise<Answer> {
  const encoding = encodings.find(({ coding }) => accepts(request["accept-encoding"] ?? "", coding));
  const etag = `"${file.hash}${encoding ? `-${encoding.coding}` : ""}"`;
  const headers = {
    ...common,
    "cache-control": caching[file.policy],
    "content-security-policy": policies[file.policy],
    etag,
    vary: "accept-encoding",
  };
  const known = request["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (known?.includes(etag)) return { statusCode: 304, headers };
  const content = await files.content(`${file.name}${encoding?.ending ?? ""}`);
  return {
    statusCode: status,
    headers: { ...headers, "content-type": file.type, ...(encoding && { "content-encoding": encoding.coding }) },
    body: content.toString("base64"),
    isBase64Encoded: true,
  };
}

/** Whether a request accepts a content coding (RFC 9110 section 12.5.3). */
function accepts(header: string, coding: string): boolean {
  return header.split(",").some((entry) => {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

function textAnswer(statusCode: number, text: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    statusCode,
    headers: {
      ...common,
      "cache-control": REVALIDATE,
      "content-security-policy": NOTHING,
      "content-type": "text/plain; charset=utf-8",
      ...headers,
    },
    body: text,
  };
}
