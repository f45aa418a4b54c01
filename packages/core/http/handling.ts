/** How a request wants unknown members to be handled: the preference `handling` (RFC 7240 section 4.4). */
import type { Operation } from "../operation/operation.ts";
import type { DialectRules } from "./dialects.ts";
import type { HttpRequest } from "./request.ts";

/** Headers that tell the caller what happened to unknown members. */
export type HandlingHeaders = Readonly<Record<string, string>>;

/** What `Prefer: handling=` says, of several the first; `undefined` where it says nothing. */
export function preferredHandling({ headers }: HttpRequest): "strict" | "lenient" | undefined {
  // Quotes around the value mean nothing; a comma in another quoted value separates nothing.
  const preferences = (headers.prefer ?? "").replace(/"([\w-]*)"/g, "$1").replace(/"[^"]*"/g, "");
  const [, value] = /(?:^|,)\s*handling\s*=\s*([^\s,;]*)/i.exec(preferences) ?? [];
  const folded = value?.toLowerCase();
  return folded === "strict" || folded === "lenient" ? folded : undefined;
}

/**
 * Looks for members and parameters that an operation that changes data does not know. Reports the headers of the
 * response first. Then throws `request.malformed` where the caller, or else the deployment, wants them refused.
 */
export async function handleUnknown(
  declared: Operation,
  sent: { readonly request: HttpRequest; readonly body: unknown; readonly rules: DialectRules },
  isStrictByDefault: boolean,
  report: (headers: HandlingHeaders) => void,
): Promise<void> {
  const { request, body, rules } = sent;
  if (declared.method === "GET" || rules.ignoresUnknown) return;
  const preferred = preferredHandling(request);
  const applied: HandlingHeaders = preferred ? { "preference-applied": `handling=${preferred}` } : {};
  const { unknownIn, ignoredHeader, unknownRefused } = await import("./unknown-members.ts");
  const unknown = unknownIn(declared, { body, rawQuery: request.rawQuery, ignoresCase: rules.ignoresQueryCase });
  const isStrict = preferred ? preferred === "strict" : isStrictByDefault;
  report({ ...applied, ...(unknown.length > 0 && !isStrict && { "ignored-members": ignoredHeader(unknown) }) });
  if (isStrict && unknown.length > 0) throw unknownRefused(unknown);
}
