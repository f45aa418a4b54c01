/** The committed API document, as a file that lies beside the function. */
import { readFile } from "node:fs/promises";

/** Reads the document once per container. A reading that failed is tried again by the next request. */
export function documentFile(path: string): () => Promise<{ readonly openapi: string }> {
  let document: { readonly openapi: string } | undefined;
  return async () => {
    document ??= JSON.parse(await readFile(path, "utf8")) as { readonly openapi: string };
    return document;
  };
}
