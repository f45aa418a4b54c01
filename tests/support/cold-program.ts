/**
 * A program of its own: loads a bundled function as Lambda does, without a request, and prints as JSON how many zod
 * schemas were built meanwhile and whether Node.js loaded its fetch client.
 */
import { pathToFileURL } from "node:url";

let schemas = 0;
// Zod calls it for every schema that is built.
Object.assign(globalThis, {
  __zod_globalConfig: {
    postProcessor: () => {
      schemas += 1;
    },
  },
});
const { handler } = (await import(pathToFileURL(process.argv[2] ?? "").href)) as { readonly handler: unknown };
const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
process.stdout.write(
  JSON.stringify({
    isFunction: typeof handler === "function",
    schemas,
    hasFetch: moduleLoadList.some((module) => module.includes("undici")),
  }),
);
