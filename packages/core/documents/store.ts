/** The committed OpenAPI document, a file next to the function. */
import { readFile } from "node:fs/promises";

/** Reads the document once per container. After a failure the next request tries again. */
export function documentFile(path: string): () => Promise<{ readonly openapi: string }> {
  let document: { readonly openapi: string } | undefined;
  return async () => {
    document ??= JSON.parse(await readFile(path, "utf8")) as { readonly openapi: string };
    return document;
  };
}
